const BUBBLEWRAP = '/usr/bin/bwrap';
const MAX_PROCESSES = 128;
const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_PROCESS_KIB = 2 * 1024 * 1024;

/** Where bubblewrap tells which process is the first in the sandbox. */
export const INFO_FD = 3;

/** What the sandbox is made of: the system's programs to read, the persona's files to write, and nothing else. */
const sandbox = (files: string): string[] =>
  [
    ['--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
    ['--info-fd', String(INFO_FD)],
    ['--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ['--clearenv', '--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin', '--setenv', 'HOME', '/files'],
    ['--setenv', 'LANG', 'C.UTF-8'],
    ['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/sbin', '/sbin'],
    ['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    [
      '--ro-bind-try',
      '/etc/alternatives',
      '/etc/alternatives',
      '--ro-bind-try',
      '/etc/ld.so.cache',
      '/etc/ld.so.cache',
    ],
    ['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev', '--size', '16777216', '--tmpfs', '/tmp'],
    ['--bind', files, '/files', '--chdir', '/files', '--remount-ro', '/'],
  ].flat();

/**
 * Limits that the command cannot raise again: how many processes and threads there are (the kernel counts those of the
 * sandbox; it never holds root back, see `whyNotAs`), the length of a file, the memory of each process. Some shells
 * count processes by -p, others by -u; without that limit nothing runs. Last in line for the processor.
 */
const limits = (fileBytes: number): string =>
  [
    `{ ulimit -p ${MAX_PROCESSES} || ulimit -u ${MAX_PROCESSES}; } 2>/dev/null || exit 126`,
    // In blocks of 512 bytes.
    `ulimit -f ${Math.max(1, Math.floor(fileBytes / 512))} || exit 126`,
    `ulimit -v ${MAX_PROCESS_KIB} || exit 126`,
    'ulimit -c 0',
  ].join('; ');

/** The program and its arguments. `room`: what may be written in all. */
export const sandboxed = (options: { files: string; command: string; room: number }): [string, string[]] => [
  BUBBLEWRAP,
  [
    ...sandbox(options.files),
    ...['/bin/sh', '-c'],
    `${limits(Math.min(options.room, MAX_FILE_BYTES))}; exec nice -n 19 /bin/sh -c "$1"`,
    ...['sh', options.command],
  ],
];

/**
 * Why a sandbox of this account would not hold; null when it would. The kernel bounds how many processes an account
 * may have, but never those of root, and a root that multiplies takes the machine with it.
 */
export const whyNotAs = (uid: number | undefined): string | null =>
  uid === 0
    ? 'the shell does not run as root, where the number of processes cannot be bounded: run the gateway as a user of its own'
    : null;
