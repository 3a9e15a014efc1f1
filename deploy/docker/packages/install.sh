#!/bin/sh
# install.sh <word>…: installs Debian packages; @office, @font and @hyphenation are those of `npm start`. `-/path/*` leaves
# out files of them, and `+/path` after it keeps one.
set -eu
names=
# What no service reads; slim images leave out the first three themselves.
set -- "$@" '-/usr/share/man/*' '-/usr/share/locale/*' '-/usr/share/doc/*' '+/usr/share/doc/*/copyright' \
  '-/usr/lib/libreoffice/share/gallery/*' '-/usr/share/libreoffice/share/config/images_*_*.zip'
# Images are built anew after a crash, so dpkg need not wait for the disk.
set -- "$@" --force-unsafe-io
rest=$#
while [ "$rest" -gt 0 ]; do
  word=$1
  shift
  rest=$((rest - 1))
  case $word in
  -/*) set -- "$@" -o "Dpkg::Options::=--path-exclude=${word#-}" ;;
  +/*) set -- "$@" -o "Dpkg::Options::=--path-include=${word#+}" ;;
  --*) set -- "$@" -o "Dpkg::Options::=$word" ;;
  @*) names="$names $(node "$(dirname "$0")/packages.mjs" "${word#@}")" ;;
  *) names="$names $word" ;;
  esac
done
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086
apt-get install -y -q --no-install-recommends "$@" $names
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log
