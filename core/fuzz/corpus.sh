#!/bin/sh
# Converts a corpus between `corpus/TARGET.hex` and the folder `corpus/TARGET`, in which cargo-fuzz
# expects one file for each input: corpus.sh unpack|pack TARGET
set -eu
cd "$(dirname "$0")/corpus"
target=$2
case $1 in
unpack)
	mkdir -p "$target"
	sed '/^#/d' "$target.hex" | while read -r input; do
		name=$(printf %s "$input" | cksum | tr ' ' -)
		printf %s "$input" | xxd -r -p >"$target/$name"
	done
	;;
pack)
	{
		grep '^#' "$target.hex" || true
		for input in "$target"/*; do
			xxd -p "$input" | tr -d '\n'
			echo
		done | LC_ALL=C sort -u
	} >"$target.new"
	mv "$target.new" "$target.hex"
	;;
*)
	echo "usage: corpus.sh unpack|pack TARGET" >&2
	exit 2
	;;
esac
