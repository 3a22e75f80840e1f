#!/bin/sh
# Boots this machine's own systemd a second time, over a copy of its files that vanishes with it.
# Run by machine.py in namespaces of its own; $1 is an empty folder, the others are seen inside.
set -eu
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay none "$1/root" -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work"
cd "$1/root"
shift

mount -t proc none proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro none sys
mount -t cgroup2 none sys/fs/cgroup
mount -t tmpfs none run
mount -t tmpfs none tmp
mount --rbind /dev dev

# Nothing of the real user's is near: not the home, not what fstab or udev would do.
mount -t tmpfs -o mode=700 none root
for path in "$@"; do
    mkdir -p ".$path"
    mount --bind "$path" ".$path"
    mount -o remount,bind,ro ".$path"
done
: >etc/fstab
for unit in systemd-udevd systemd-udev-trigger systemd-modules-load systemd-sysctl systemd-binfmt \
    systemd-remount-fs systemd-timesyncd systemd-networkd systemd-resolved; do
    ln -sf /dev/null "etc/systemd/system/$unit.service"
done
cat >etc/systemd/system/machine.target <<'UNIT'
[Unit]
Requires=basic.target
Wants=dbus.service systemd-logind.service systemd-user-sessions.service
After=basic.target
UNIT
exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    chroot . /lib/systemd/systemd --system --unit=machine.target --show-status=no
