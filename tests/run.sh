#!/usr/bin/env bash
# run.sh -- installs what is missing, builds huff in build/ and runs all its tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/packages.sh

packages_install "${PACKAGES_TO_BUILD[@]}" "${PACKAGES_TO_TEST[@]}"
cmake -B build -S . -DCMAKE_BUILD_TYPE=Release -DHUFF_TESTS=ON
cmake --build build --parallel "$(processors)"
# Threads that wait leave the processors to the tests beside them.
export OMP_WAIT_POLICY=passive
exec ctest --test-dir build --output-on-failure --parallel "$(processors)"
