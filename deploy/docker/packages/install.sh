#!/bin/sh
# install.sh <name or @kind>…: installs Debian packages; @office, @font and @hyphenation are those of `npm start`.
set -eu
names=
for word; do
  case $word in
  @*) word=$(node "$(dirname "$0")/packages.mjs" "${word#@}") ;;
  esac
  names="$names $word"
done
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086
apt-get install -y -q --no-install-recommends $names
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log
