import { EngineError } from '#contract';
import { endSessions } from '../../../actions/end-sessions.ts';
import { addressesOfOwners } from '../../../config/owners.ts';
import { planChange } from '../../../config/writing/change.ts';
import { isEverywhere } from '../../../console/door/allowed.ts';
import { isOver, makeCode } from '../../../console/door/sessions.ts';
import { iso } from '../../../lib/clock.ts';
import { type ReadyFile, runningGateway } from '../../../queries/gateway/running.ts';
import { wayInWords } from '../../../queries/state-words.ts';
import { ROLES, type Role, viewerOf } from '../../../queries/viewer.ts';
import type { ConsoleSession } from '../../../storage/types/gateway.ts';
import { crashPointsOf, type Workspace } from '../../../workspace.ts';
import { addressIn } from '../../command/addresses.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { untilRunning } from '../../command/gateway-process.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';
import { table } from '../../text/table.ts';

const FILE = 'configs/system.json';
/** How long a running gateway may take to open the door: it looks at its files every two seconds. */
const OPENS_WITHIN_MS = 10_000;
const MOST_SESSIONS = 50;

/** Links of one kind lead in, the others tell of who is in or put them out. */
type Outcome =
  | {
      readonly kind: 'link';
      readonly link: string;
      readonly code: string;
      readonly address: string;
      readonly role: Role;
      readonly until: number;
      readonly switchedOn: boolean;
    }
  | { readonly kind: 'sessions'; readonly sessions: readonly (ConsoleSession & { readonly over: boolean })[] }
  | { readonly kind: 'ended'; readonly ended: number; readonly address: string | null };

export const console = defineCommand({
  name: 'console',
  summary: 'A link to look at everything in a browser; switches the console on where it is off',
  examples: [
    ['console', 'as the owner; the link works once, for five minutes'],
    ['console --as bob@example.com --role viewer', 'for somebody who only looks, and at their own personas alone'],
    ['console --sessions', 'who is logged in'],
    ['console --log-out', 'everybody; with --as one alone'],
  ],
  options: {
    as: { flags: '--as <address>', about: 'whose personas are shown; the owner where there is one' },
    role: { flags: '--role <role>', about: `${ROLES.join(', ')}: looks, decides, or does all`, fallback: 'owner' },
    sessions: { flags: '--sessions', about: 'who is logged in, and who was' },
    logOut: { flags: '--log-out', about: 'end the sessions of everybody, or of one address' },
  },
  async run(context, { options }): Promise<Outcome> {
    const { as, role, sessions = false, logOut = false } = options;
    const address = as === undefined ? null : addressIn(as).toLowerCase();
    const workspace = context.open();
    const { gateway, clock } = workspace;
    if (sessions) {
      const rows = await gateway.listConsoleSessions(MOST_SESSIONS);
      return { kind: 'sessions', sessions: rows.map((row) => ({ ...row, over: isOver(row, clock.now()) })) };
    }
    if (logOut) {
      return { kind: 'ended', address, ended: await endSessions(workspace, { address, by: 'cli', now: clock.now() }) };
    }
    return makeLink(context, workspace, address ?? onlyOwner(workspace), roleNamed(role));
  },
  json: (outcome) => {
    if (outcome.kind === 'ended') return { ended: outcome.ended };
    if (outcome.kind === 'sessions') return { sessions: outcome.sessions.map(sessionShape) };
    const { link, code, address, role, until } = outcome;
    return { console: { link, code, address, role, until: iso(until) } };
  },
  text: inWords,
});

/** Nothing of a session that would let somebody in. */
const sessionShape = (row: ConsoleSession & { readonly over: boolean }) => ({
  id: row.id,
  address: row.address,
  role: row.role,
  came_by: row.came_by,
  made_at: iso(row.made_at),
  seen_at: iso(row.seen_at),
  ended_at: row.ended_at === null ? null : iso(row.ended_at),
  ended_by: row.ended_by,
  over: row.over,
});

async function makeLink(
  context: CommandContext,
  workspace: Workspace,
  address: string,
  role: Role,
): Promise<Extract<Outcome, { kind: 'link' }>> {
  const viewer = viewerOf(workspace.live, address, role);
  if (viewer.personas.size === 0)
    throw new EngineError(
      'usage',
      `${address} owns no persona; owners stand in configs/security.json and in persona.json`,
    );
  if (runningGateway(workspace) === null)
    throw new EngineError('not_running', 'no gateway runs, so there is nothing to look at; `epistle start` runs it');
  const switchedOn = switchOn(context, workspace);
  const { public_url: publicUrl } = workspace.live.current().system.console;
  const url = await doorOf(workspace);
  if (url === null) throw new EngineError('timeout', 'the gateway has not opened the console; `epistle logs` says why');
  const { code, until } = await makeCode(workspace, { address, role });
  const at = new URL('/session', publicUrl ?? url);
  if (isEverywhere(bareHost(at))) at.hostname = 'localhost';
  return { kind: 'link', link: `${at.href}#${code}`, code, address, role, until, switchedOn };
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** The first time only; what stands there stays. */
function switchOn({ root, settings }: CommandContext, { live }: Workspace): boolean {
  const { enabled, screens, public_url: publicUrl } = live.current().system.console;
  if (publicUrl !== null && new URL(publicUrl).pathname !== '/')
    throw new EngineError(
      'usage',
      'console.public_url has a path; pages need a host of their own, such as https://epistle.example.com',
    );
  if (enabled && screens) return false;
  const wanted = (['enabled', 'screens'] as const).map((key) => ({ file: FILE, path: ['console', key], to: true }));
  planChange(root, { settings: wanted }, crashPointsOf(settings)).write();
  return true;
}

/** Where the door of the running gateway is; null where it does not open. */
async function doorOf(workspace: Workspace): Promise<string | null> {
  const isOpen = ({ console: door }: ReadyFile): boolean => Boolean(door);
  const ready = await untilRunning(workspace, isOpen, AbortSignal.timeout(OPENS_WITHIN_MS));
  return ready?.console?.url ?? null;
}

function roleNamed(given: string): Role {
  const role = ROLES.find((one) => one === given);
  if (role === undefined) throw new EngineError('usage', `--role takes one of ${ROLES.join(', ')}`);
  return role;
}

/** Throws `usage` where it is not clear who that is: what is decided in a console is written down with a name. */
function onlyOwner({ live }: Workspace): string {
  const owners = new Set(addressesOfOwners(live.current().security.owners).map((one) => one.toLowerCase()));
  const [only, ...others] = owners;
  if (only === undefined) throw new EngineError('usage', 'configs/security.json names no owner; say who looks: --as');
  if (others.length > 0) throw new EngineError('usage', `there are several owners; say who looks: --as ${only}`);
  return only;
}

function inWords(outcome: Outcome, { hint }: CommandContext): string {
  if (outcome.kind === 'ended') {
    const whose = outcome.address === null ? '' : ` of ${outcome.address}`;
    return `${outcome.ended} ${outcome.ended === 1 ? 'session' : 'sessions'}${whose} ended. Links that nobody has opened let nobody in any more.`;
  }
  if (outcome.kind === 'sessions') {
    const rows = outcome.sessions.map((row) => [
      row.address,
      [row.role, wayInWords(row.came_by) ?? []].flat().join(', '),
      atHere(row.made_at),
      atHere(row.seen_at),
      stateOf(row),
    ]);
    return [
      table(
        ['WHO', 'ROLE', 'SINCE', 'SEEN', 'STATE'],
        rows,
        hint('Nobody has logged in yet; `epistle console` lets you in.'),
      ),
      zoneLine(),
    ].join('\n');
  }
  return [
    ...(outcome.switchedOn
      ? ['The console is on now (configs/system.json, console.enabled and console.screens).', '']
      : []),
    `Open this as ${outcome.address} (${outcome.role}); it works once, until ${atHere(outcome.until).slice(11)}:`,
    '',
    `  ${outcome.link}`,
    '',
    `In a browser without script, open the address and type the code: ${outcome.code}`,
  ].join('\n');
}

const stateOf = ({ over, ended_at: at, ended_by: by }: ConsoleSession & { readonly over: boolean }): string =>
  at !== null ? `ended by ${by}` : over ? 'over' : 'logged in';
