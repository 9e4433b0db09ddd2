#!/usr/bin/env python3
"""sixth_service.py ROOT PROGRAMS : a sixth, empty service is made in a copy of ROOT, and thrown away.

Its folder alone is not enough: the checks name what is missing. Then at most FILES_MAX files outside its folder
are changed, and the checks pass, HAProxy takes the configuration, the scripts know its port, and CMake makes its
program a target of the build."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import tree

FILES_MAX = 5
NAME, ROUTE, PORT = "canteen", "menus", 106

MAIN = """#include "canteen/api/routes.hpp"
#include "canteen/migrations.hpp"
#include "runtime/service.hpp"

int main(int argc, char** argv) {
  using namespace tideline;
  return runtime::run_service(argc, argv,
                              {.name = "canteen",
                               .version = TIDELINE_VERSION,
                               .migrations = canteen::migrations(),
                               .compose = [](runtime::ServiceContext& context) {
                                 canteen::add_routes(context.router());
                               }});
}
"""
ROUTES_HEADER = """#pragma once

#include "http/routing/router.hpp"

namespace tideline::canteen {
void add_routes(http::Router& router);
}
"""
ROUTES = """#include "canteen/api/routes.hpp"

namespace tideline::canteen {
void add_routes(http::Router&) {}
}
"""
EMPTY = "namespace tideline::canteen {}\n"
OPENAPI = """openapi: 3.1.0
info: { title: canteen, version: "1" }
paths: {}
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def replace(path, old, new):
    text = path.read_text(encoding="utf-8")
    if old not in text:
        sys.exit(f"{path} does not hold: {old}")
    write(path, text.replace(old, new, 1))


def copy_of(root, folder):
    for path in tree.tracked(root):
        target = folder / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def make_folder(copy):
    own = copy / "services" / NAME
    write(own / "main.cpp", MAIN)
    write(own / "api/routes.hpp", ROUTES_HEADER)
    write(own / "api/routes.cpp", ROUTES)
    for layer in ("domain", "projections"):
        write(own / f"{layer}/{layer}.cpp", EMPTY)
    for name in ("kustomization.yaml", "service.yaml"):
        pattern = (copy / "services/projects/k8s" / name).read_text(encoding="utf-8")
        write(own / "k8s" / name, pattern.replace("projects", NAME))


def enter(copy):
    """What the checks ask for, file by file."""
    registry = copy / "services/registry.txt"
    write(registry, registry.read_text(encoding="utf-8") + f"{NAME}  {PORT}  -  {ROUTE}\n")
    write(copy / f"schemas/http/{NAME}.yaml", OPENAPI)
    replace(copy / "k8s/base/kustomization.yaml", "  - ../../services/scoring/k8s\n",
            f"  - ../../services/scoring/k8s\n  - ../../services/{NAME}/k8s\n")
    compose = copy / "deploy/compose.yaml"
    replace(compose, "  gateway:\n", f"""  {NAME}:
    <<: *service
    command: [tideline-{NAME}]
    environment:
      <<: *settings
      TIDELINE_DATABASE_URL: host=postgres dbname=tideline_{NAME} user=tideline_{NAME} password=$PASSWORD

  gateway:
""".replace("$PASSWORD", "${TIDELINE_DATABASE_PASSWORD}"))
    replace(compose, "feed, scoring]", f"feed, scoring, {NAME}]")
    replace(compose, "OWNER tideline_scoring;\n", f"""OWNER tideline_scoring;
      CREATE ROLE tideline_{NAME} LOGIN PASSWORD '$PASSWORD';
      CREATE DATABASE tideline_{NAME} OWNER tideline_{NAME};
""".replace("$PASSWORD", "${TIDELINE_DATABASE_PASSWORD}"))
    enter_in_gateway(copy / "deploy/gateway/haproxy.cfg")


def enter_in_gateway(file):
    variable = f"TIDELINE_{NAME.upper()}"
    replace(file, "  presetenv TIDELINE_SCORING", f"  presetenv {variable} {NAME}:8080\n  presetenv TIDELINE_SCORING")
    replace(file, "  acl to_scoring", f"  acl to_{NAME} path -m reg ^/v1/({ROUTE})(/|$)\n  acl to_scoring")
    replace(file, " or to_scoring", f" or to_scoring or to_{NAME}")
    replace(file, "  use_backend scoring", f"  use_backend {NAME} if to_{NAME}\n  use_backend scoring")
    replace(file, "backend scoring\n", f"""backend {NAME}
  http-check disable-on-404
  http-request lua.await_service if {{ nbsrv eq 0 }}
  .if defined(TIDELINE_NAMES)
  server-template {NAME} 16 "_http._tcp.{NAME}.${{TIDELINE_NAMES}}" verifyhost {NAME}
  .else
  server {NAME} "${{{variable}}}" verifyhost {NAME}
  .endif

backend scoring
""")
    replace(file, "{ nbsrv(scoring) gt 0 }", f"{{ nbsrv({NAME}) gt 0 }} {{ nbsrv(scoring) gt 0 }}")
    replace(file, "  acl reaches_one nbsrv(scoring)", f"  acl reaches_one nbsrv({NAME}) gt 0\n  acl reaches_one nbsrv(scoring)")
    replace(file, '"scoring":%[', f'"{NAME}":%[nbsrv({NAME})],"scoring":%[')


def run(copy, *command, **environment):
    return subprocess.run(
        [str(word) for word in command], cwd=copy, env={**os.environ, **environment}, capture_output=True, text=True,
        check=False,
    )


def expect(what, done):
    if done.returncode != 0:
        sys.exit(f"{what} fails:\n{done.stdout}{done.stderr}")
    print(f"{what}: passes")


def check(copy, name, *arguments):
    return run(copy, sys.executable, copy / "tests" / name, copy, *arguments)


def expect_findings(copy):
    """Without a line in the registry, and with nothing but that line, the checks say what is missing."""
    alone = check(copy, "layout/check_registry.py")
    if alone.returncode == 0 or f"{NAME}  {PORT}  -  {NAME}" not in alone.stdout:
        sys.exit(f"a folder without a line in the registry is not noticed:\n{alone.stdout}{alone.stderr}")
    registry = copy / "services/registry.txt"
    kept = registry.read_text(encoding="utf-8")
    write(registry, kept + f"{NAME}  {PORT}  -  {ROUTE}\n")
    said = check(copy, "layout/check_registry.py").stdout
    for file in ("deploy/gateway/haproxy.cfg", "deploy/compose.yaml", "k8s/base/kustomization.yaml"):
        if f"{file}: {NAME} is missing; add" not in said:
            sys.exit(f"it is not noticed that {file} lacks {NAME}:\n{said}")
    if f"{NAME} has no OpenAPI document" not in check(copy, "contract/check_schemas.py").stdout:
        sys.exit(f"it is not noticed that {NAME} has no OpenAPI document")
    write(registry, kept)
    print(alone.stdout + said, end="")


def changed_outside(root, copy):
    own = copy / "services" / NAME
    # Python leaves what it has compiled beside its sources: nobody writes that.
    ours = (path for path in copy.rglob("*") if path.is_file() and not {".git", "__pycache__"} & set(path.parts))
    for path in sorted(ours):
        before = root / path.relative_to(copy)
        if own not in path.parents and (not before.is_file() or before.read_bytes() != path.read_bytes()):
            yield path.relative_to(copy).as_posix()


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="tideline-sixth-") as folder:
        copy, build = pathlib.Path(folder) / "tree", pathlib.Path(folder) / "build"
        copy_of(root, copy)
        make_folder(copy)
        expect_findings(copy)
        enter(copy)
        files = list(changed_outside(root, copy))
        print(f"{len(files)} files outside services/{NAME}: {' '.join(files)}")
        if len(files) > FILES_MAX:
            sys.exit(f"more than {FILES_MAX}")
        expect("check_registry.py", check(copy, "layout/check_registry.py"))
        expect("check_directions.py", check(copy, "layout/check_directions.py"))
        expect("check_schemas.py", check(copy, "contract/check_schemas.py"))
        expect("the manifests", run(copy, f"{sys.argv[2]}/kustomize", "build", "k8s/overlays/trial"))
        expect("HAProxy", check_gateway_configuration(copy, folder))
        ports = 'use_home "$0"; [ "$(port_of canteen)" = 18106 ]'
        expect("deploy/settings.sh", run(copy, "bash", "-ec", f". deploy/settings.sh; {ports}", f"{folder}/home"))
        expect("CMake", run(copy, "cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DTIDELINE_TESTS=OFF"))
        # Every object that the program is linked of; nothing is compiled.
        expect("its target", run(copy, "ninja", "-C", build, "-n", f"tideline-{NAME}"))


def check_gateway_configuration(copy, folder):
    key = f"{folder}/key.pem"
    made = "openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -out"
    expect("a key", run(copy, "bash", "-c", f"{made} {key}"))
    addresses = [f"TIDELINE_{name}" for name in ("GATEWAY_BIND", "GATEWAY_METRICS_BIND")]
    environment = {name: f"127.0.0.1:{18080 + i}" for i, name in enumerate(addresses)}
    # Started by nobody: the names of services are hosts only in a cluster.
    names = run(copy, sys.executable, "-c", "import sys; sys.path.insert(0, 'tests/support'); import registry; "
                "print(*(service.variable for service in registry.read()))").stdout.split()
    environment.update({name: "127.0.0.1:1" for name in names})
    path = f"{os.environ['PATH']}:/usr/sbin"
    return run(copy, "haproxy", "-c", "-f", "deploy/gateway/haproxy.cfg", **environment, TIDELINE_JWT_KID="k",
               TIDELINE_JWT_KEY=key, PATH=path)


if __name__ == "__main__":
    main()
