# Sourced by the scripts in bin/, which set $bin, their own folder. Starts no process.

# Set $attend to the path of the installed program, or to nothing where there is none.
#
# A folder with an attend-run beside its attend is this plugin's, or another copy of it:
# what lies there leads back here, so it is passed over.
find_attend() {
    attend=
    _path=${PATH:-}:${HOME:-}/.local/bin
    _path=$_path:${UV_TOOL_DIR:-${XDG_DATA_HOME:-${HOME:-}/.local/share}/uv/tools}/attendd/bin
    _path=$_path:${PIPX_HOME:-${XDG_DATA_HOME:-${HOME:-}/.local/share}/pipx}/venvs/attendd/bin
    _path=$_path:${HOME:-}/.local/pipx/venvs/attendd/bin
    _path=$_path:$bin/../../.venv/bin # the plugin read in place from a clone
    _ifs=$IFS
    IFS=:
    set -f
    for _dir in $_path; do
        if [ -f "$_dir/attend" ] && [ -x "$_dir/attend" ] && ! [ -e "$_dir/attend-run" ]; then
            attend=$_dir/attend
            break
        fi
    done
    set +f
    IFS=$_ifs
}

# Set $install to the command that installs the program: from the clone this plugin is read in,
# where its path needs no quoting; a copy doesn't know where that is.
name_install() {
    install='pipx install /path/to/the/clone'
    case $bin in
    /*[!A-Za-z0-9/._-]*) ;;
    /*/plugin/bin) [ -f "$bin/../../pyproject.toml" ] && install="pipx install ${bin%/plugin/bin}" ;;
    esac
}
