"""The hash tree of a log, and its proofs: RFC 9162, sections 2.1.1 to 2.1.4, with SHA-256.

Leaves and inner nodes are hashed with different prefixes, so that no entry can pass for an inner
node. The module knows only bytes, not what the entries mean.
"""

import hashlib
from collections.abc import Sequence


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry."""
    return hashlib.sha256(b"\0" + entry).digest()


def _joined(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


class HashTree:
    """The tree of a growing log, stored as one hash for each of its perfect subtrees."""

    def __init__(self) -> None:
        """Begin without entries."""
        self.size = 0
        self._perfect: list[bytes] = []

    def append(self, leaf: bytes) -> None:
        """Add the next entry by its leaf hash."""
        size = self.size
        while size & 1:
            leaf = _joined(self._perfect.pop(), leaf)
            size >>= 1
        self._perfect.append(leaf)
        self.size += 1

    @property
    def root(self) -> bytes:
        """The hash of the whole tree."""
        if not self._perfect:
            return hashlib.sha256().digest()
        *others, root = self._perfect
        for perfect in reversed(others):
            root = _joined(perfect, root)
        return root


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root hash of the tree over `leaves`."""
    tree = HashTree()
    for leaf in leaves:
        tree.append(leaf)
    return tree.root


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The proof that the entry at `index`, from 0, is in the tree over `leaves`."""
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*inclusion_proof(leaves[:split], index), root_of(leaves[split:])]
    return [*inclusion_proof(leaves[split:], index - split), root_of(leaves[:split])]


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> bool:
    """Whether a proof shows that an entry is in the tree of that size and root."""
    if not 0 <= index < size:
        return False
    at, last = index, size - 1
    for other in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            leaf = _joined(other, leaf)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            leaf = _joined(leaf, other)
        at, last = at >> 1, last >> 1
    return last == 0 and leaf == root


def consistency_proof(leaves: Sequence[bytes], size: int) -> list[bytes]:
    """The proof that the tree over `leaves` extends that over the first `size` of them.

    Args:
        leaves: the leaf hashes of all entries.
        size: from 1 to the number of leaves.
    """
    return _consistency(leaves, size, whole=True)


def _consistency(leaves: Sequence[bytes], size: int, *, whole: bool) -> list[bytes]:
    if size == len(leaves):
        return [] if whole else [root_of(leaves)]
    split = _split(len(leaves))
    if size <= split:
        left = _consistency(leaves[:split], size, whole=whole)
        return [*left, root_of(leaves[split:])]
    right = _consistency(leaves[split:], size - split, whole=False)
    return [*right, root_of(leaves[:split])]


def verify_consistency(
    old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether a proof shows that the tree of `size` extends that of `old_size` entries."""
    if not 0 < old_size <= size:
        return False
    if old_size == size:
        return not proof and old_root == root
    path = list(proof)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    at, last = old_size - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    old = new = path[0]
    for other in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old, new = _joined(other, old), _joined(other, new)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            new = _joined(new, other)
        at, last = at >> 1, last >> 1
    return last == 0 and old == old_root and new == root


def _split(size: int) -> int:
    """The greatest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1
