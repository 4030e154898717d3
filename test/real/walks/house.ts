import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { run } from '../../flow/command-line.ts';
import { root as checkout } from '../../house/sources.ts';
import { type MailServers, startMailServers } from '../../lab/mail-servers.ts';
import { freePorts } from '../../lab/ports.ts';
import { BORDER, DOMAIN, STAMP } from '../../lab/site.ts';
import { isRelayed, RELAY, RELAYED, startRelay, TRUSTED_RELAYS } from './relay.ts';

export const NEW_PROGRAM = join(checkout, 'bin/epistle.js');
const exec = promisify(execFile);

/** Whose mail is answered; one of them comes to it later. */
export const OWNERS = ['olga', 'bob', 'carol'].map((user) => `${user}@${DOMAIN}`);
/** Users who may become mailboxes; the first two are, from the beginning. */
export const BOX_USERS = ['agents', 'support', 'third', 'fourth'];
/** Other names under which the server knows them. */
const OTHER_NAMES: Readonly<Record<string, string>> = { desk: 'agents', help: 'support' };
export const PASSWORD = "it's secret";

/** What the server says of mail that its own users hand in: a verdict, nothing, or who logged in. */
export const KINDS = ['stamps', 'plain', 'names'] as const;
export type Kind = (typeof KINDS)[number];

/** As they stand in the files. */
interface SideFile {
  readonly user: string;
  readonly secret_env: string;
}
export interface BoxFile {
  readonly id: string;
  readonly imap: SideFile;
  readonly smtp: SideFile;
}
export interface PersonaFile {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly aliases?: readonly string[];
  readonly mailbox?: string | null;
  readonly owners?: readonly string[];
  readonly timezone?: string;
}

/** A server, and the workspace of one walk. */
export interface House {
  readonly lab: MailServers;
  /** By which mail of another domain comes to the gateway's own listener. */
  readonly relay: Awaited<ReturnType<typeof startRelay>>;
  readonly listenerPort: number;
  /** Other folders of the walk. */
  readonly place: string;
  /** The workspace; another one after a restore. */
  root: string;
  /** The Epistle that is used. */
  program: string;
  /** Sent to personas so far. */
  readonly sent: Sent[];
  /** Who is told once what is different since an upgrade, and by the mailbox of which user; nobody without one. */
  readonly told: { readonly owner: string; readonly by: string }[];
  /** Until all of each round were answered. */
  readonly tookMs: number[];
}

export interface Sent {
  readonly id: string;
  readonly owner: string;
  readonly persona: PersonaFile;
  /** The user with whose login the answer has to leave. */
  readonly by: string;
  /** The user in whose mailbox the mail arrives, or the relay. */
  readonly arrives: string;
}

export async function openHouse(kind: Kind, program = NEW_PROGRAM): Promise<House> {
  const users = Object.fromEntries([...OWNERS.map(userOf), ...BOX_USERS].map((user) => [user, PASSWORD]));
  const aliases = OTHER_NAMES;
  const lab = await startMailServers({
    users,
    aliases,
    domain: DOMAIN,
    stamp: kind === 'stamps' ? STAMP : '',
    stampsSubmissions: kind === 'stamps',
    namesLogins: kind === 'names',
  });
  const place = mkdtempSync(join(tmpdir(), 'epistle-walked-'));
  const [listenerPort = 0] = await freePorts(1);
  const relay = await startRelay(lab, listenerPort);
  return { lab, relay, listenerPort, place, root: join(place, 'epistle'), program, sent: [], told: [], tookMs: [] };
}

export async function closeHouse(house: House): Promise<void> {
  await command({ ...house, program: NEW_PROGRAM }, ['stop']).catch(() => endByHand(house));
  await house.relay.stop();
  await house.lab.stop();
  rmSync(house.place, { recursive: true, force: true });
}

/** Where no command ends the gateway. */
export async function endByHand({ root }: House): Promise<void> {
  let pid: number;
  try {
    ({ pid } = readJson(root, 'data/ready.json'));
    process.kill(pid, 'SIGTERM');
  } catch {
    return;
  }
  for (const isThere = () => readdirSync('/proc').includes(String(pid)); isThere(); ) await pause(50);
}

/** A command of the program that is used, and what it says. */
export async function told(house: House, args: readonly string[], options: { stdin?: string } = {}) {
  const where = args[0] === 'setup' ? ['--folder', house.root] : ['--workspace', house.root];
  const { code, stdout, stderr } = await run([...args, ...where, '--json'], { entry: house.program, ...options });
  // biome-ignore lint/suspicious/noExplicitAny: the documents have many shapes; tests assert on what they need.
  const json: any = stdout.trim() === '' ? null : JSON.parse(stdout);
  return { code, json, said: `${stdout}${stderr}` };
}

/** The same of one that has to do what it says. */
export async function command(house: House, args: readonly string[], options: { stdin?: string } = {}) {
  const { code, json, said } = await told(house, args, options);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${said}`);
  return json;
}

/** Setup in a terminal, with these keys at these prompts. */
export async function inTerminal(house: House, steps: readonly object[], args: readonly string[]): Promise<void> {
  const commandLine = [process.execPath, house.program, 'setup', '--folder', house.root, '--wait', '1', ...args];
  const environment = { PATH: process.env.PATH, HOME: house.place, TERM: 'xterm', COLUMNS: '160' };
  const script = join(checkout, 'test/real/setup.py');
  const { stdout } = await exec('python3', [script, JSON.stringify(commandLine), JSON.stringify(steps), '90'], {
    env: environment,
  });
  const { code, left, screen } = JSON.parse(stdout);
  if (code !== 0 || left.length > 0) throw new Error(`setup ended with ${code} before ${left}: ${screen}`);
}

export const serverFlags = ({ lab }: House): readonly string[] => [
  ...['--imap', `localhost:${lab.imap.port}:starttls`, '--smtp', `localhost:${lab.smtp.submissionPort}:starttls`],
  ...['--ca-file', lab.ca],
];

/** The version of before tried no address. */
const untried = ({ program }: House) => (program === NEW_PROGRAM ? ['--without-trial'] : []);

/** It works, as users get there: two owners, two mailboxes, a relay, a zone, a model, three personas. */
export async function settle(house: House, kind: Kind): Promise<void> {
  const [olga = '', bob = ''] = OWNERS;
  const [agents, support] = BOX_USERS.map((user) => `${user}@${DOMAIN}`);
  const who = ['--owner', olga, '--mailbox', agents ?? '', '--name', 'Ada', '--timezone', 'Pacific/Auckland'];
  const secret = { stdin: `${PASSWORD}\n` };
  await command(house, ['setup', ...serverFlags(house), ...who, '--provider', 'offline', '--non-interactive'], secret);
  await command(house, ['persona', 'create', 'ben', '--address', `ben@${DOMAIN}`, '--owner', bob, ...untried(house)]);
  const toBen = ['--persona', 'ben', '--non-interactive'];
  await command(house, ['mailbox', 'add', support ?? '', ...serverFlags(house), ...toBen], secret);
  const gateway = readJson(house.root, 'configs/gateway.json');
  writeJson(house.root, 'configs/gateway.json', {
    ...gateway,
    smtp_listener: { ...gateway.smtp_listener, port: house.listenerPort, trusted_relays: TRUSTED_RELAYS },
  });
  // Nobody can try an address to which no mailbox leads, so she is made by hand.
  mkdirSync(join(house.root, 'personas/rae'));
  const [{ id: writesBy }] = gateway.mailboxes.filter(({ imap }: BoxFile) => imap.user === support);
  const rae = { name: 'Rae', address: `rae@${RELAYED}`, mailbox: writesBy };
  writeJson(house.root, 'personas/rae/persona.json', rae);
  writeFileSync(join(house.root, 'personas/rae/PERSONA.md'), 'You are Rae.\n');
  const security = readJson(house.root, 'configs/security.json');
  const learned = security.gateway_auth?.trusted_received ?? [];
  // Somebody's own server, on which everybody is known: the word that has to be typed in a terminal is written by hand.
  const trusted_received = kind === 'plain' ? ['imap.lab.test', `esmtpsa:${BORDER}`] : learned;
  writeJson(house.root, 'configs/security.json', {
    ...security,
    owners: [olga, bob],
    gateway_auth: { ...security.gateway_auth, dns_servers: [house.lab.dns], trusted_received },
  });
  await takenUp();
}

/** As long as the gateway may take, by docs/settings.md and by what the commands say, to go by what was written. */
export const takenUp = (): Promise<void> => pause(2000);

// biome-ignore lint/suspicious/noExplicitAny: files of many shapes
export const readJson = (root: string, file: string): any => JSON.parse(readFileSync(join(root, file), 'utf8'));
export const writeJson = (root: string, file: string, value: object, spacing: number | string = 2): void =>
  writeFileSync(join(root, file), `${JSON.stringify(value, null, spacing)}\n`);

export const boxesOf = ({ root }: House): readonly BoxFile[] => readJson(root, 'configs/gateway.json').mailboxes;
export const personasOf = ({ root }: House): readonly PersonaFile[] =>
  readdirSync(join(root, 'personas'))
    .toSorted()
    .map((id) => ({ id, ...readJson(root, `personas/${id}/persona.json`) }));
export const ownersOf = ({ root }: House, { owners }: PersonaFile): readonly string[] =>
  owners ?? readJson(root, 'configs/security.json').owners;

export const userOf = (address: string): string => address.slice(0, address.indexOf('@'));

/** The user to whom the server hands mail to this address. */
export function receiverOf(address: string): string {
  if (isRelayed(address)) return RELAY;
  const [name = ''] = userOf(address).split('+');
  return OTHER_NAMES[name] ?? name;
}

/** The mailbox that is named, else the one in which mail to the persona arrives, else the only one. */
export const senderOf = (boxes: readonly BoxFile[], { mailbox, address }: PersonaFile): BoxFile | undefined =>
  mailbox
    ? boxes.find(({ id }) => id === mailbox)
    : (boxes.find(({ imap }) => userOf(imap.user) === receiverOf(address)) ?? only(boxes));

const only = (boxes: readonly BoxFile[]): BoxFile | undefined => (boxes.length === 1 ? boxes[0] : undefined);
