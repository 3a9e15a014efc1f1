#!/bin/sh
# build.sh <manifests> <folder>: compiles all services. Copies the built and the served files of each service and of its
# libraries to <folder>/<service>, and those of all to <folder>/scriptorium. <manifests> is what manifests.mjs wrote.
set -eu
# The rest of these two builds makes programs in C, in other stages.
TURBO_TELEMETRY_DISABLED=1 npx turbo run build --filter='!@scriptorium/converter' --filter='!@scriptorium/verifier'
npx tsc -p services/converter
npx tsc -p services/verifier
for manifests in "$1"/*/; do
  service=$(basename "$manifests")
  # The gateway serves a page, on which it does not depend.
  case $service in
  build) continue ;;
  gateway | scriptorium) page=pages/try ;;
  *) page= ;;
  esac
  for package in $(cd "$manifests" && ls -d shared packages/* services/* clients/* 2>/dev/null) $page; do
    for part in dist assets; do
      [ -d "$package/$part" ] || continue
      mkdir -p "$2/$service/$package"
      cp -R "$package/$part" "$2/$service/$package/"
    done
  done
done
find "$2" -name '*.d.ts' -delete
chmod -R a+rX,go-w "$2"
