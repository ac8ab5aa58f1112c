# packages.sh -- the Debian 12 packages that huff needs, and a function that installs what is missing of them.
# For bash; read by tests/run.sh, selfplay/quickstart.sh and .ci/run: . .ci/packages.sh
# shellcheck shell=bash disable=SC2034

# To build the programs and run them.
PACKAGES_TO_BUILD=(gcc libc6-dev cmake make pkg-config libcyaml-dev libyaml-dev libjansson-dev libhdf5-dev
    liblbfgs-dev libmd-dev zlib1g-dev)
# To build and run the tests.
PACKAGES_TO_TEST=(libcriterion-dev python3 python3-h5py clang-format-14)
# For what .ci/run does besides; with MPI, which nothing else needs, runs can be shared by several machines.
PACKAGES_TO_CHECK=(clang-14 libclang-rt-14-dev libomp-14-dev libopenmpi-dev openmpi-bin)

# How many processes at a time: one for each processor, of which a container may be allowed less than it sees.
processors() {
    local count quota period limit
    count=$(nproc)
    { read -r quota period < /sys/fs/cgroup/cpu.max || { read -r quota < /sys/fs/cgroup/cpu/cpu.cfs_quota_us &&
        read -r period < /sys/fs/cgroup/cpu/cpu.cfs_period_us; }; } 2>/dev/null || true
    if [[ ${quota:-} =~ ^[1-9][0-9]*$ && ${period:-} =~ ^[1-9][0-9]*$ ]]; then
        limit=$(((quota + period - 1) / period))
        [ $limit -ge "$count" ] || count=$limit
    fi
    echo "$count"
}

# packages_install PACKAGE...: installs those that are missing by apt-get; nothing when all are there.
packages_install() {
    local package log missing=()
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "These packages (by their Debian 12 names) are missing: ${missing[*]}" >&2
        echo "Install them as root: apt-get install ${missing[*]}" >&2
        return 1
    fi
    echo "Installing with apt-get: ${missing[*]}"
    log=$(mktemp)
    if ! { apt-get -q -o Acquire::Retries=3 update && DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
        install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        echo "apt-get could not install: ${missing[*]}" >&2
        return 1
    fi
    rm -f "$log"
}
