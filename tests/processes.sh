# processes.sh -- for scripts to source that start engines by a path in $folder, by which they are found.

# The processes whose program was started by a path in our folder.
left() {
    local file first
    for file in /proc/[0-9]*/cmdline; do
        { IFS= read -r -d '' first <"$file" || true; } 2>/dev/null
        case ${first-} in
        "$folder"/*) file=${file%/cmdline} && echo "${file#/proc/}" ;;
        esac
    done
}

# Ends them and removes the folder.
clean_up() {
    local pid
    for pid in $(left); do kill -KILL "$pid" 2>/dev/null || true; done
    rm -rf "$folder"
}

# What was killed needs a moment to be gone; what was not is there for longer than is waited.
nothing_left() {
    local pids i
    for ((i = 0; i < 100; i++)); do
        pids=$(left)
        [ -n "$pids" ] || return 0
        sleep 0.1
    done
    fail "$1: processes are left: $(for pid in $pids; do tr '\0' ' ' <"/proc/$pid/cmdline" || true; done)"
}
