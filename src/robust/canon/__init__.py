"""Canonical JSON, strict reading, digests, Merkle trees, folding: the base on which every identity rests."""

from robust.canon.digest import Hasher, digest_bytes, digest_value, hash_bytes, is_digest, unit_interval
from robust.canon.encode import (
    canonical_bytes,
    canonical_number,
    canonical_part,
    canonical_text,
    encode_exact,
    pack,
    unpack,
)
from robust.canon.fold import fold, fold_leaves, nfc
from robust.canon.merkle import MerkleTree, inclusion_path, leaf_hash, leaf_hashes, root_from_path
from robust.canon.parse import (
    MAX_DOCUMENT_BYTES,
    decode_own,
    decode_utf8,
    parse_canonical,
    read_json,
    within_part_depth,
)
from robust.canon.plain import (
    MAX_DEPTH,
    MAX_PART_DEPTH,
    MAX_SAFE_INTEGER,
    JsonObject,
    JsonValue,
    describe,
    exact_text,
    join_path,
    plain,
    plain_parts,
    type_name,
)
from robust.canon.scan import Node, scan_nodes
from robust.canon.stream import RandomStream

__all__ = [
    "MAX_DEPTH",
    "MAX_DOCUMENT_BYTES",
    "MAX_PART_DEPTH",
    "MAX_SAFE_INTEGER",
    "Hasher",
    "JsonObject",
    "JsonValue",
    "MerkleTree",
    "Node",
    "RandomStream",
    "canonical_bytes",
    "canonical_number",
    "canonical_part",
    "canonical_text",
    "decode_own",
    "decode_utf8",
    "describe",
    "digest_bytes",
    "digest_value",
    "encode_exact",
    "exact_text",
    "fold",
    "fold_leaves",
    "hash_bytes",
    "inclusion_path",
    "is_digest",
    "join_path",
    "leaf_hash",
    "leaf_hashes",
    "nfc",
    "pack",
    "parse_canonical",
    "plain",
    "plain_parts",
    "read_json",
    "root_from_path",
    "scan_nodes",
    "type_name",
    "unit_interval",
    "unpack",
    "within_part_depth",
]
