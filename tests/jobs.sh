# jobs.sh -- for scripts to source that start programs in the background: to wait for what they do, and to end them.
# shellcheck shell=bash

# Kills those that still run; for the trap. One that is left behind would run for hours, and ctest wait for its output.
end_jobs() {
    local pid
    for pid in $(jobs -p); do kill -KILL "$pid" 2>/dev/null || true; done
    wait
}

# await PID COMMAND...: until the command succeeds; false when the process has ended and it still does not.
await() {
    local pid=$1 runs=yes
    shift
    while [ $runs = yes ]; do
        kill -0 "$pid" 2>/dev/null || runs=no
        if "$@"; then return 0; fi
        sleep 0.02
    done
    return 1
}

# new_folder BIN: prints a new folder in which programs can be started, which not every /tmp allows.
new_folder() {
    local folder
    folder=$(mktemp -d)
    printf '#!/bin/sh\n' >"$folder/try"
    chmod +x "$folder/try"
    if ! "$folder/try" 2>/dev/null; then
        rm -rf "$folder"
        folder=$(mktemp -d "$(cd "$1" && pwd)/test.XXXXXX")
    fi
    rm -f "$folder/try"
    echo "$folder"
}
