"""Learning: page profiles → templates, one page after the other and each page once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from tamis.page import collapse_spaces, row_xpath
from tamis.site.profile import PageProfile
from tamis.site.template import (
    Container,
    PathStats,
    RepeatedBlock,
    SeenOnce,
    Structure,
    Template,
    path_weight,
)

MAX_SEEN_ONCE: Final = 1000  # blocks of a path, seen in one page each, that a template keeps
_MIN_SIMILARITY: Final = 0.55  # from which on two pages have one template
_MAX_TEMPLATES: Final = 30  # of a site; a page that fits none then joins the most similar one
_MIN_SHARE: Final = 0.01  # of the pages that have a block or a path, for it to be kept
_DECIMALS: Final = 3  # of log odds and shares in a template


@dataclass
class PathSums:
    """Sums over the pages that have text at a path signature."""

    pages: int = 0
    blocks: int = 0
    terms: int = 0
    log_odds: float = 0.0  # each times its terms

    @property
    def mean_log_odds(self) -> float:
        """The mean over terms, rounded as in a file."""
        return round(self.log_odds / max(self.terms, 1), _DECIMALS)


def learn_templates(
    profiles: Iterable[PageProfile], templates: Iterable[Template] = ()
) -> tuple[Template, ...]:
    """Return the templates of pages, which go on from templates that were learned before."""
    learner = SiteLearner(templates)
    for profile in profiles:
        learner.learn(profile)
    return learner.templates()


class SiteLearner:
    """Learns the templates of one site, each page together with pages of the same structure."""

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        self.learners = [_continue_template(template) for template in templates]

    def learn(self, profile: PageProfile) -> None:
        """Learn from a page: with the most similar pages, or as the first of its structure."""
        similarities = [learner.similarity(profile) for learner in self.learners]
        best = max(range(len(similarities)), key=similarities.__getitem__, default=-1)
        if best < 0 or (
            similarities[best] < _MIN_SIMILARITY and len(similarities) < _MAX_TEMPLATES
        ):
            self.learners.append(_TemplateLearner())
            best = len(self.learners) - 1
        self.learners[best].learn(profile)

    def templates(self) -> tuple[Template, ...]:
        """Return what was learned; the template of the most pages comes first."""
        templates = [learner.template() for learner in self.learners]
        return tuple(sorted(templates, key=lambda template: -template.pages))


@dataclass
class _TemplateLearner:
    """Learns one template.

    Of a block that was seen in one page only the fingerprint is kept, so that memory grows with
    the number of different blocks.
    """

    pages: int = 0
    seen_once: dict[str, str] = field(default_factory=dict)  # fingerprint → path
    repeated: dict[str, RepeatedBlock] = field(default_factory=dict)
    paths: dict[str, PathSums] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)  # of paths, over all pages
    total: float = 0.0  # of all weights
    containers: dict[str, Container] = field(default_factory=dict)  # by path

    def similarity(self, profile: PageProfile) -> float:
        """Return how well a page fits what was learned so far."""
        return Structure(self.pages, self.weights, self.total).similarity(profile.path_weights)

    def learn(self, profile: PageProfile) -> None:
        """Learn from a page."""
        self.pages += 1
        for path in profile.path_weights:
            self.paths.setdefault(path, PathSums()).pages += 1
        indices: dict[str, list[int]] = {}
        for index, block_id in enumerate(profile.fingerprints):
            if block_id is None:
                continue
            indices.setdefault(block_id, []).append(index)
            sums = self.paths.setdefault(profile.paths[index], PathSums())
            terms = profile.terms[index]
            sums.blocks += 1
            sums.terms += int(terms)
            sums.log_odds += float(terms * profile.log_odds[index])
        for path in profile.path_weights:
            weight = path_weight(self.paths[path].pages, self.paths[path].terms)
            self.total += weight - self.weights.get(path, 0.0)
            self.weights[path] = weight
        for block_id, block_indices in indices.items():
            self._count_block(profile, block_id, block_indices)
        if profile.main_container is not None:
            _, path, share = profile.main_container
            container = self.containers.get(path, Container(path, 0, 0.0))
            self.containers[path] = container.with_page(share)

    def _count_block(self, profile: PageProfile, block_id: str, indices: list[int]) -> None:
        """Count a block that a page holds at these indices."""
        before = self.repeated.get(block_id)
        if before is not None:
            times = before.times + len(indices)
            self.repeated[block_id] = before._replace(pages=before.pages + 1, times=times)
        elif block_id in self.seen_once:
            path, index = self.seen_once.pop(block_id), indices[0]
            xpath = row_xpath(profile.blocks.page, int(profile.blocks.node[index]))
            text = collapse_spaces(profile.blocks.text(index))
            times = 1 + len(indices)
            self.repeated[block_id] = RepeatedBlock(block_id, 2, times, path, xpath, text)
        else:
            self.seen_once[block_id] = profile.paths[indices[0]]

    def template(self) -> Template:
        """Return what was learned, without what is rare; the most frequent comes first."""
        min_pages = _MIN_SHARE * self.pages
        blocks = (
            block for block in self.repeated.values() if block.pages >= min_pages or block.noise
        )
        stats = (
            PathStats(path, sums.pages, sums.blocks, sums.terms, sums.mean_log_odds)
            for path, sums in self.paths.items()
            if sums.pages >= min_pages
        )
        paths = tuple(sorted(stats, key=lambda stats: (-stats.pages, stats.path)))
        containers = (
            container._replace(share=round(container.share, _DECIMALS))
            for container in self.containers.values()
            if container.pages >= min_pages
        )
        return Template(
            self.pages,
            tuple(sorted(blocks, key=lambda block: (-block.pages, block.path, block.id))),
            paths,
            self._group_seen_once({stats.path for stats in paths}),
            tuple(sorted(containers, key=lambda container: (-container.pages, container.path))),
        )

    def _group_seen_once(self, paths: Collection[str]) -> tuple[SeenOnce, ...]:
        """Return the blocks that stood once at each of these paths, of each path the newest."""
        ids_by_path: dict[str, list[str]] = {}
        for block_id, path in self.seen_once.items():
            if path in paths:
                ids_by_path.setdefault(path, []).append(block_id)
        return tuple(
            SeenOnce(path, tuple(ids[-MAX_SEEN_ONCE:])) for path, ids in sorted(ids_by_path.items())
        )


def _continue_template(template: Template) -> _TemplateLearner:
    """Return a learner that goes on from a template."""
    return _TemplateLearner(
        template.pages,
        {block_id: once.path for once in template.seen_once for block_id in once.ids},
        dict(template.by_id),
        {
            stats.path: PathSums(
                stats.pages, stats.blocks, stats.terms, stats.log_odds * stats.terms
            )
            for stats in template.paths
        },
        dict(template.structure.weights),
        template.structure.total,
        {container.path: container for container in template.containers},
    )
