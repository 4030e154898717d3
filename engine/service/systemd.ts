import { workingIn } from './manager.ts';
import { isWithin, outermost, type ServicePaths } from './paths.ts';

interface SystemdUnit extends ServicePaths {
  /** Account of a unit of the system; null: a unit of the account that installs it. */
  readonly user: string | null;
  /** The tool `shell` runs its commands in namespaces of their own, which most of the hardening forbids. */
  readonly allowShell: boolean;
}

/** Folders that `ProtectHome=tmpfs` and `PrivateTmp` put empty ones in the place of. */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '%': '%%', $: '$$' };

/** One word of a command line (systemd.service(5)). */
const word = (text: string): string => `"${text.replace(/["$%\\]/g, (mark) => ESCAPED[mark] ?? mark)}"`;

/** A path, or an assignment, of a setting that takes such (systemd.exec(5)): `$` means nothing there. */
const path = (text: string): string => `"${text.replace(/["%\\]/g, (mark) => ESCAPED[mark] ?? mark)}"`;

/** What no process of a gateway needs, whatever its tools do. */
const ALWAYS = [
  'NoNewPrivileges=yes',
  'UMask=0077',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'PrivateTmp=yes',
  'ProtectSystem=strict',
  'PrivateMounts=yes',
  'SystemCallArchitectures=native',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'PrivateDevices=yes',
  'ProtectHostname=yes',
  'RemoveIPC=yes',
];

/** Forbidden where no shell runs: Bubblewrap needs namespaces, mounts and an unmasked /proc. */
const WITHOUT_SHELL = [
  'PrivateUsers=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'ProcSubset=pid',
  'RestrictNamespaces=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'SystemCallErrorNumber=EPERM',
];

/**
 * A unit file for systemd 247 or newer. `MemoryDenyWriteExecute` is left out: the compiler of Node writes code to
 * memory. `Type=exec`: Node cannot tell systemd that it is ready.
 */
export function systemdUnit(unit: SystemdUnit): string {
  const { node, program, workspace, dataDir, nodeRoot, programRoot, user, allowShell, typed } = unit;
  const written = outermost([workspace, dataDir]);
  const read = outermost([nodeRoot, programRoot]).filter((one) => !written.some((folder) => isWithin(folder, one)));
  const isHidden = (one: string) => HIDDEN.some((folder) => isWithin(folder, one));
  return [
    '[Unit]',
    'Description=Epistle, a gateway that gives AI personas an email address',
    'Wants=network-online.target',
    'After=network-online.target',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${[node, ...NODE_FLAGS, program, 'start', '--workspace', workspace].map(word).join(' ')}`,
    ...Object.entries(MALLOC).map(([name, value]) => `Environment=${name}=${value}`),
    ...(typed === null ? [] : [`Environment=${path(`EPISTLE_PROGRAM=${typed}`)}`]),
    workingIn(workspace),
    ...(user === null ? [] : [`User=${user}`]),
    'Restart=on-failure',
    'RestartSec=5',
    // The gateway lets go of its work within ten seconds.
    'TimeoutStopSec=30',
    'LimitNOFILE=65536',
    ...ALWAYS,
    ...(allowShell ? [] : WITHOUT_SHELL),
    'ProtectHome=tmpfs',
    ...written.map((one) => (isHidden(one) ? `BindPaths=${path(one)}` : `ReadWritePaths=${path(one)}`)),
    ...read.filter(isHidden).map((one) => `BindReadOnlyPaths=${path(one)}`),
    '',
    '[Install]',
    `WantedBy=${user === null ? 'default.target' : 'multi-user.target'}`,
    '',
  ].join('\n');
}

/**
 * On a large machine V8 and malloc take what they can get. Only a command line and an environment can say otherwise; a
 * running Node no longer listens. `scripts/lib/runtime.sh` says the same to a gateway that a person starts.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=50'];

export const MALLOC: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '2097152',
};
