"""The map of the house as rules: who may include what. check_directions.py applies them.

A rule names a part by a pattern over its folder; the first pattern that fits a file counts. In services,
{own} stands for the service that the file belongs to.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import registry

SERVICES = registry.names()
LIBRARIES = [
    "allocator",
    "core",
    "sql",
    "eventsourcing",
    "snapshots",
    "people",
    "blocks",
    "revocations",
    "search",
    "crypto",
    "push",
    "mail",
    "postgres",
    "projections",
    "kafka",
    "http",
    "images",
    "uploads",
    "observability",
    "runtime",
]

# (files, what of Tideline they may include: folders, or single headers). A part may always include itself.
MAY_INCLUDE = [
    # Tests stand outside: they may use any library, and of the services only their own.
    (r"libs/[^/]+/tests/", LIBRARIES),
    (r"services/(?P<own>[^/]+)/tests/", LIBRARIES + ["{own}"]),
    (r"libs/allocator/", []),
    (r"libs/core/", []),
    (r"libs/sql/", ["core"]),
    (r"libs/eventsourcing/events/", ["core"]),
    (r"libs/eventsourcing/store/", ["core", "eventsourcing/events"]),
    (r"libs/eventsourcing/(topics|commands)/", ["core", "eventsourcing/events", "eventsourcing/store"]),
    (
        r"libs/eventsourcing/projections/",
        ["core", "sql", *[f"eventsourcing/{room}" for room in ("events", "store", "topics", "commands")]],
    ),
    (r"libs/eventsourcing/testing/", ["core", "eventsourcing"]),
    (r"libs/(snapshots|mail)/", ["core"]),
    (r"libs/search/", ["core", "eventsourcing/events/text_sealer.hpp"]),
    (r"libs/(people|blocks|revocations)/", ["core", "sql", "eventsourcing"]),
    (r"libs/crypto/", ["core", "eventsourcing/events/text_sealer.hpp", "http/routing/authentication.hpp", "http/messages/principal.hpp"]),
    (r"libs/push/", ["core", "crypto/p256_key.hpp"]),
    (r"libs/postgres/connections/", ["core", "sql"]),
    (r"libs/postgres/projections/", ["core", "sql", "eventsourcing/events", "eventsourcing/topics"]),
    (r"libs/postgres/migrations/", ["core", "sql", "postgres/connections", "postgres/projections"]),
    (
        r"libs/postgres/store/",
        ["core", "sql", "eventsourcing/events", "eventsourcing/store", "crypto/subject_keys.hpp", "crypto/key_wrap.hpp", "postgres/connections"],
    ),
    (r"libs/postgres/recovery/", ["core", "sql", "eventsourcing/events", "eventsourcing/topics"]),
    (r"libs/projections/runner/", ["core", "sql", "eventsourcing", "postgres/projections"]),
    (r"libs/projections/rebuild/", ["core", "sql", "eventsourcing", "postgres/projections", "projections/runner"]),
    (r"libs/kafka/", ["core", "eventsourcing"]),
    (r"libs/http/messages/", ["core"]),
    (r"libs/http/tls/", ["core"]),
    (r"libs/http/client/", ["core", "http/messages", "http/tls"]),
    (r"libs/http/routing/", ["core", "eventsourcing", "http/messages"]),
    (r"libs/http/server/", ["core", "http/messages", "http/routing", "http/tls"]),
    (r"libs/images/", ["core"]),
    (r"libs/uploads/", ["core", "sql", "eventsourcing", "crypto/digest.hpp", "http", "images"]),
    (r"libs/observability/", ["core", "eventsourcing"]),
    (r"libs/runtime/", LIBRARIES),
    (
        r"services/(?P<own>[^/]+)/domain/",
        [
            "core",
            "eventsourcing/commands/compaction.hpp",
            "eventsourcing/commands/decider.hpp",
            "eventsourcing/commands/command.hpp",
            "eventsourcing/commands/limited_count.hpp",
            "eventsourcing/events/event.hpp",
            "{own}/events.hpp",
        ],
    ),
    (
        r"services/(?P<own>[^/]+)/projections/",
        ["core", "sql", "eventsourcing", "snapshots", "search", "people", "blocks", "{own}/domain", "{own}/stored_events.hpp"],
    ),
    # Rooms of feed's own, below its routes.
    (r"services/feed/contents/", ["core", "people", "http/messages", "feed/domain", "feed/projections"]),
    (r"services/feed/subscriptions/", ["core", "sql"]),
    (r"services/scoring/fence/", ["core", "sql"]),
    (r"services/feed/shards/", ["core", "sql", "http", "feed/domain"]),
    (
        r"services/(?P<own>[^/]+)/api/",
        [
            *["core", "sql", "eventsourcing", "snapshots", "search", "people", "blocks", "crypto", "push", "mail", "http", "images", "uploads"],
            *["{own}/domain", "{own}/projections", "{own}/events.hpp", "{own}/stored_events.hpp", "{own}/stream_keys.hpp"],
            *["feed/contents", "feed/shards", "feed/subscriptions"],
        ],
    ),
    (r"services/(?P<own>[^/]+)/(cli/)?[^/]+\.[ch]pp", LIBRARIES + ["{own}"]),
    # The demo knows the suite from outside only: it computes what must come out by itself.
    (r"deploy/demo/", ["core"]),
    (r"tests/(?P<own>[^/]+)/", LIBRARIES + SERVICES),
]

# (header, files that may include it, why). Elsewhere it is a finding.
CONFINED = [
    (r"pistache/", r"(libs/http/server|tests/bench)/[^/]+\.cpp", "Pistache stays in one .cpp of libs/http, and in its peer"),
    (r"pqxx", r"libs/postgres/.*", "libpqxx stays in libs/postgres"),
    (r"librdkafka/", r"(libs/kafka|tests/bench)/.*", "librdkafka stays in libs/kafka, and in its peers"),
    (r"spdlog/", r"libs/observability/.*\.cpp", "spdlog stays in the .cpp files of libs/observability"),
    (
        r"prometheus/",
        r"libs/observability/.*\.cpp",
        "prometheus-cpp stays in the .cpp files of libs/observability",
    ),
    (
        r"curl/",
        r"libs/(observability/|http/client|mail/|push/).*\.cpp",
        "libcurl stays in the .cpp files of libs/observability, libs/mail and libs/push, and in the client of libs/http",
    ),
    (r"liboath/", r"libs/crypto/.*", "liboath stays in libs/crypto"),
    (r"sodium\.h", r"libs/crypto/.*", "libsodium stays in libs/crypto"),
    (r"(unicode/|libstemmer)", r"libs/search/(words|topics)\.cpp", "ICU and Snowball stay in two .cpp of libs/search"),
    (r"vips/", r"libs/images/(tests/.*|.*\.cpp)", "libvips stays in the .cpp files of libs/images"),
    (r"boost/beast", r"(libs/http|deploy|tests)/.*\.cpp", "Beast stays in .cpp files of libs/http"),
    (
        r"nlohmann/",
        r"(?!libs/core/|services/[^/]+/domain/).*",
        "the domain and libs/core know no JSON",
    ),
]

# (header, files): at most one of these files may include it.
IN_ONE_FILE = [(r"pistache/", r"libs/.*")]

# (files, text that may not stand in them, why)
FORBIDDEN_TEXT = [
    (
        r"services/[^/]+/domain/",
        r"(system_clock|steady_clock)::now\(|random_device|\brand\(|\bgetenv\(|\btime\(",
        "time, randomness and environment come into the domain with the command",
    ),
    (
        r"services/[^/]+/api/",
        r'"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\b',
        "SQL belongs to projections, not to routes",
    ),
    (
        r"libs/(eventsourcing|projections|http|kafka|crypto)/(?!tests/)",
        r'"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\b',
        "SQL belongs to libs/postgres",
    ),
]
