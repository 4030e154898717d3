import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { commandBelow, foldersOf, readDockerfile, type Stage, type Step } from './dockerfile.ts';

/** What the steps left behind: a command of the image is run in `cwd` with `environment`. */
export interface Image {
  readonly root: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: string;
  readonly healthcheck: string;
  /** What ends it. */
  readonly signal: NodeJS.Signals;
}

/** Does the steps of a Dockerfile without Docker, each stage in an empty folder below `place`, on the Node that runs this. */
export function replay(checkout: string, place: string): Image {
  const stages = readDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'));
  const folders = foldersOf(stages);
  const rootOf = (index: number) => join(place, `stage-${index}`);
  const images = stages.map((stage, index) =>
    replayStage(stage, {
      checkout,
      folders,
      root: rootOf(index),
      rootOfStage: (name) => rootOf(stages.findIndex((one) => one.name === name)),
    }),
  );
  const last = images.at(-1);
  if (!last) throw new Error('the Dockerfile has no stage');
  return last;
}

interface Around {
  readonly checkout: string;
  readonly folders: readonly string[];
  readonly root: string;
  rootOfStage(name: string): string;
}

function replayStage(stage: Stage, around: Around): Image {
  const { folders, root } = around;
  const home = join(root, 'home/node');
  const prefix = join(root, 'usr/local');
  for (const folder of [home, join(prefix, 'bin')]) mkdirSync(folder, { recursive: true });
  const below = (command: string) => commandBelow(command, root, folders);
  const image: { -readonly [Key in keyof Image]: Image[Key] } = {
    root,
    cwd: root,
    environment: {
      PATH: [join(prefix, 'bin'), dirname(process.execPath), ...systemPath()].join(delimiter),
      HOME: home,
      npm_config_prefix: prefix,
      // Where the packages come from, and those that were fetched before.
      npm_config_userconfig: join(homedir(), '.npmrc'),
      npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
      npm_config_prefer_offline: 'true',
      ...authorities(),
      // A connection that a registry lets hang is made anew, soon: npm itself waits for five minutes, and longer each time.
      npm_config_fetch_timeout: '30000',
      npm_config_fetch_retries: '10',
      npm_config_fetch_retry_mintimeout: '1000',
      npm_config_fetch_retry_maxtimeout: '3000',
      npm_config_maxsockets: '6',
    },
    command: '',
    healthcheck: '',
    signal: 'SIGTERM',
  };
  for (const step of stage.steps) {
    if (!IS_DONE.has(step.do)) said(step, image, below);
    else if (step.do === 'WORKDIR') image.cwd = madeFolder(join(root, step.value));
    else if (step.do === 'ENV') image.environment = { ...image.environment, ...step.variables };
    else if (step.do === 'COPY') copy(step, image.cwd, around);
    else if (step.do === 'RUN' && step.command === INSTALLED_ALREADY) takeOver(around.checkout, image.cwd);
    else if (step.do === 'RUN') run(below(step.command), image.cwd, image.environment);
  }
  return image;
}

/** The others only say something of the image. */
const IS_DONE: ReadonlySet<Step['do']> = new Set(['WORKDIR', 'ENV', 'COPY', 'RUN']);

function said(
  step: Step,
  image: { -readonly [Key in keyof Image]: Image[Key] },
  below: (command: string) => string,
): void {
  if (step.do === 'CMD') image.command = below(step.command);
  else if (step.do === 'STOPSIGNAL') image.signal = step.signal;
  else if (step.do === 'HEALTHCHECK') image.healthcheck = below(step.command);
}

/** A network may lead to the registry through a proxy whose certificates it has signed itself. */
function authorities(): Readonly<Record<string, string>> {
  const { NODE_EXTRA_CA_CERTS: file } = process.env;
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file };
}

/**
 * What scripts/lib/runtime.sh has done for this very lockfile, in the checkout that is copied. Written in any other way the
 * step is done, and fetches it all once more.
 */
const INSTALLED_ALREADY = 'npm ci --ignore-scripts --include=dev --no-audit --no-fund';

function takeOver(checkout: string, cwd: string): void {
  symlinkSync(join(checkout, 'node_modules'), join(cwd, 'node_modules'));
}

function madeFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

function copy(
  { from, source, target }: Extract<Step, { do: 'COPY' }>,
  cwd: string,
  { checkout, root, rootOfStage }: Around,
): void {
  const to = target.startsWith('/') ? join(root, target) : resolve(cwd, target);
  if (from === null) cpSync(join(checkout, source), to, { recursive: true, filter: notIgnored(checkout) });
  else cpSync(join(rootOfStage(from), source), to, { recursive: true });
}

/** npm, and what a shell needs; a Node there comes after ours. */
const systemPath = (): string[] => (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');

function run(command: string, cwd: string, env: Readonly<Record<string, string>>): void {
  const { status } = spawnSync('sh', ['-ec', command], { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`exit ${status}: ${command}`);
}

/** As .dockerignore has it: names at the top of the checkout alone. */
function notIgnored(checkout: string): (path: string) => boolean {
  const ignored = new Set(readFileSync(join(checkout, '.dockerignore'), 'utf8').split('\n'));
  return (path) => dirname(resolve(path)) !== resolve(checkout) || !ignored.has(basename(path));
}
