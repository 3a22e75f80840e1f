#!/bin/sh
# Gets the oldest git that attend supports, 2.30 of Debian 11, into a folder that git ignores, and
# prints the folder to put before the PATH. It needs apt, and changes nothing of the system's.
set -eu
folder=$(cd "$(dirname "$0")/.." && pwd)/.live/git-2.30

if [ ! -x "$folder/bin/git" ]; then
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/bin"
    cd "$folder/apt"
    site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site bullseye main" >sources
    set -- -qq -o Dir::Etc::SourceList="$PWD/sources" -o Dir::Etc::SourceParts=- \
        -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD" -o APT::Sandbox::User=root
    apt-get "$@" update
    apt-get "$@" download git/bullseye
    dpkg -x git_*.deb "$folder"
    cat >"$folder/bin/git" <<END
#!/bin/sh
GIT_EXEC_PATH='$folder/usr/lib/git-core' exec '$folder/usr/bin/git' "\$@"
END
    chmod +x "$folder/bin/git"
    rm -r "$folder/apt"
fi
echo "$folder/bin"
