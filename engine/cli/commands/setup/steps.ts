import { resolve } from 'node:path';
import { EngineError } from '#contract';
import { isOfAnother } from '../../../actions/set-up/edit-persona.ts';
import { loadEnvironment } from '../../../config/environment.ts';
import { mailboxesToSendBy, plusAddress, receiving } from '../../../config/mailboxes/sending-mailbox.ts';
import { addressesOfOwners } from '../../../config/owners.ts';
import { personaSchema } from '../../../config/persona-schema.ts';
import type { MailboxConfig } from '../../../config/types.ts';
import { systemZone } from '../../../lib/schedule/zone.ts';
import { editDistance } from '../../../lib/text/nearest.ts';
import { hasToBeConfirmed } from '../../../mailbox/finding/candidates.ts';
import { type FoundServers, findServers } from '../../../mailbox/finding/find-servers.ts';
import { byDomain } from '../../../mailbox/finding/known.ts';
import { systemLookups } from '../../../mailbox/finding/lookups.ts';
import type { Provider } from '../../../mailbox/finding/provider-types.ts';
import { PROVIDERS } from '../../../mailbox/finding/providers.ts';
import { addressIn } from '../../command/addresses.ts';
import type { CommandContext } from '../../command/context.ts';
import {
  idOf,
  type MailboxConnection as Known,
  type OAuthChoice,
  type Saved,
  type SetupAnswers,
  serverIn,
  writtenServer,
} from './answers.ts';
import type { Prompts } from './ask.ts';
import { budgetGiven } from './model/given.ts';
import type { PriceKnown } from './model/service.ts';
import { PLACEHOLDER } from './plan.ts';
import { addressOfMailbox, assertMendable, holderOf, type Present, personaCalled, personasOf } from './present.ts';

/** One setup under way. */
export interface SetupUnderWay {
  readonly context: CommandContext;
  readonly root: string;
  /** What the workspace says already. */
  readonly present: Present;
  /** Null where nothing is asked. */
  readonly prompts: Prompts | null;
  /** What was given on the command line. */
  flag(name: string): string | undefined;
  /** Answers of this setup and of one that was broken off. */
  saved(): Saved;
  /** Keeps answers, so that a setup that is broken off goes on with them. */
  keep(more: Saved): void;
  say(line: string): void;
}

/** The owner's address and that of the mailbox; what is set stands there to be kept. */
export async function askAddresses(asking: SetupUnderWay): Promise<{ owner: string; mailbox: string }> {
  const { flag, prompts, saved, keep, present } = asking;
  const { configs } = present;
  const [known] = addressesOfOwners(configs.security.owners).filter((one) => one !== PLACEHOLDER);
  const owner = addressIn(
    flag('owner') ?? (await prompts?.owner(saved().owner ?? known)) ?? known ?? missing('--owner'),
  );
  keep({ owner });
  const set = configs.gateway.mailboxes.flatMap((one) => addressOfMailbox(present, one) ?? []);
  const only = set.length === 1 ? set[0] : undefined;
  const typed = addressIn(
    flag('mailbox') ?? (await prompts?.mailbox(saved().mailbox ?? set[0])) ?? only ?? missing('--mailbox'),
  );
  const meant = prompts && !set.includes(typed) ? nearAddress(typed) : null;
  const mailbox = meant === null ? typed : ((await prompts?.whichOf(typed, meant)) ?? typed);
  keep(mailbox === saved().mailbox ? {} : { mailbox, imap: undefined, smtp: undefined, ca_file: undefined });
  return { owner, mailbox };
}

/** So many slips of a key make one domain of another: two in a long name. */
const slipsIn = (domain: string): number => (domain.length >= 10 ? 2 : 1);

/** The address that was perhaps meant, where its domain is nearly one that many people have; else null. */
export function nearAddress(address: string): string | null {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1).toLowerCase();
  if (byDomain(domain) !== null) return null;
  const known = PROVIDERS.flatMap(({ domains }) => domains.map((one) => one.replace('*', 'com')));
  const distances = known.map((one) => [editDistance(domain, one), one] as const);
  const [[distance, near] = [Number.POSITIVE_INFINITY, '']] = distances.toSorted(([one], [other]) => one - other);
  return distance <= slipsIn(near) ? `${address.slice(0, at + 1)}${near}` : null;
}

export type AskedConnection = Known & { readonly passwordPage: string | null };

/**
 * The servers of the mailbox: those of the command line, those that it has, those that are found, or those that a person
 * names. `present`: as it is configured.
 */
export async function askServers(
  asking: SetupUnderWay,
  { id, mailbox, present }: Pick<Known, 'id' | 'mailbox' | 'present'>,
): Promise<AskedConnection> {
  const { flag, keep, saved, say, prompts } = asking;
  const writtenOf = (side: 'imap' | 'smtp') => present?.[side] && writtenServer(present[side]);
  const set = { imap: writtenOf('imap'), smtp: writtenOf('smtp') };
  const isNamed = (['imap', 'smtp'] as const).every((side) => (flag(side) ?? set[side]) !== undefined);
  const found = isNamed ? null : await findServers(mailbox, { lookups: systemLookups(), askDirectory: false });
  const unfound = prompts ? notFound(found, mailbox) : null;
  if (unfound !== null) say(unfound);
  const imap = serverIn(flag('imap') ?? set.imap ?? (await chosen(asking, found, 'imap')), 'imap');
  const smtp = serverIn(flag('smtp') ?? set.smtp ?? (await chosen(asking, found, 'smtp')), 'smtp');
  keep({ imap, smtp });
  const provider = found?.provider ?? null;
  for (const hint of provider?.hints ?? []) say(hint);
  const caFile = flag('caFile');
  const login = present?.imap ?? present?.smtp;
  return {
    id,
    imap,
    smtp,
    mailbox,
    present,
    user: flag('user') ?? login?.user ?? found?.imap?.user ?? mailbox,
    caFile: caFile === undefined ? (saved().ca_file ?? login?.tls_ca_file ?? null) : resolve(caFile),
    filesSent: provider?.filesSent ?? false,
    passwordPage: provider?.passwordPage ?? null,
    oauth: presentClient(asking, present) ?? (await askClient(asking, provider, found?.imap?.auth === 'oauth')),
  };
}

/** The client that a mailbox has; null where it has none, or another one is named. */
function presentClient({ flag }: SetupUnderWay, present: MailboxConfig | null): OAuthChoice | null {
  const { oauth, imap, smtp } = present ?? {};
  const isUsed = imap?.auth === 'oauth' || smtp?.auth === 'oauth';
  if (!oauth || !isUsed || flag('clientId') !== undefined || flag('oauthIssuer') !== undefined) return null;
  const said = Object.entries(oauth).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []));
  return { ...Object.fromEntries(said), client_id: oauth.client_id };
}

/** Pure. Said before somebody is asked for servers, or they would take that for the usual way; null: some were found. */
export const notFound = (found: Pick<FoundServers, 'imap' | 'smtp'> | null, mailbox: string): string | null =>
  found !== null && found.imap === null && found.smtp === null
    ? `No servers were found for ${mailbox}.\nWhoever runs its mail knows their names and ports.`
    : null;

const REGISTERING = 'docs/mailbox.md says how to register an app there';

/** The client of a provider that takes no password, or of whichever is named on the command line; null: a password. */
async function askClient(
  { flag, prompts, saved, keep }: SetupUnderWay,
  provider: Provider | null,
  isNeeded: boolean,
): Promise<OAuthChoice | null> {
  const [issuer, given] = [flag('oauthIssuer'), flag('clientId')];
  const preset = provider?.oauth ?? null;
  if (given === undefined && issuer === undefined && !isNeeded) return null;
  if (preset === null && issuer === undefined) {
    throw new EngineError('usage', '--oauth-issuer is missing: which provider --client-id is for is not known');
  }
  const name = provider?.name ?? issuer ?? '';
  const about = `${name} takes no password. The client id of your app (${REGISTERING})`;
  const clientId =
    given ?? (await prompts?.clientId({ about, suggested: saved().client_id })) ?? missing('--client-id');
  keep({ client_id: clientId });
  const secretEnv = flag('clientSecretEnv');
  return {
    ...(issuer === undefined ? { preset: preset ?? '' } : { issuer }),
    client_id: clientId,
    ...(secretEnv === undefined ? {} : { client_secret_env: secretEnv }),
  };
}

/** A name that nobody can have is asked for once more. */
export async function askPersona(
  asking: SetupUnderWay,
  connection: Pick<Known, 'id' | 'mailbox' | 'present'>,
): Promise<SetupAnswers['persona']> {
  const { flag, prompts, saved, keep, present, say } = asking;
  const usual = usualPersona(present, connection);
  const suggested = saved().name ?? usual ?? present.personas[0]?.file.name;
  for (;;) {
    const name = flag('name') ?? (await prompts?.persona(suggested)) ?? usual ?? missing('--name');
    try {
      const persona = goodPersona(asking, name, connection);
      keep({ name });
      if (isSame(connection.mailbox, saved().owner) && !isSame(persona.address, connection.mailbox))
        say(
          `${connection.mailbox} is your own address, so ${persona.name} gets ${persona.address} in the same mailbox. Only mail to that address is answered.`,
        );
      return persona;
    } catch (error) {
      if (!(error instanceof EngineError) || prompts === null || flag('name') !== undefined) throw error;
      say(`${error.message}. Give another name.`);
    }
  }
}

const isSame = (one: string, other: string | undefined): boolean => one.toLowerCase() === other?.toLowerCase();

/** Throws `usage` or `config_invalid` where there can be no such persona. */
export function goodPersona(
  { flag, saved, root, present }: SetupUnderWay,
  name: string,
  connection: Pick<Known, 'id' | 'mailbox' | 'present'>,
): SetupAnswers['persona'] {
  const persona = personaNamed(present, { name, connection, flag, owner: saved().owner });
  assertMendable(root, persona.id);
  const { name: shown, address, timezone } = persona;
  const read = personaSchema.safeParse({ name: shown, address, timezone });
  if (read.success) return persona;
  const wrong = read.error.issues.map(({ path, message }) => `${path.join('.')}: expected ${message}`);
  throw new EngineError('usage', `this persona cannot be: ${wrong.join('; ')}`);
}

/** What is proposed to somebody who has set no limit so far. */
const BUDGET_USD = 5;

/**
 * The day's budget of the persona: of a model that nobody bills it is not asked for. Undefined: nothing is said of it, and
 * what is set stays.
 */
export async function askBudget(
  { root, flag, prompts, saved, keep, present, say }: SetupUnderWay,
  persona: SetupAnswers['persona'],
  price: PriceKnown | null,
): Promise<number | null | undefined> {
  const given = budgetGiven(flag);
  if (given !== undefined) return given;
  if (prompts === null || price === null || price.isFree) return undefined;
  const known = personaCalled(present, persona.name);
  // No limit is what somebody has chosen only where something could be spent.
  const isFirst =
    (present.configs.inference.provider ?? loadEnvironment(root).firstProvider ?? 'offline') === 'offline';
  const set = known?.file.budget.usd_per_day ?? (known && !isFirst ? null : undefined);
  const proposed = price.isUnpriced ? null : BUDGET_USD;
  if (price.isUnpriced) say(WITHOUT_PRICE);
  const kept = saved().budget;
  const budget = await prompts.budget(persona.name, kept !== undefined ? kept : set !== undefined ? set : proposed);
  keep({ budget });
  return budget;
}

const WITHOUT_PRICE =
  'Without a price no budget can hold: with one, mail waits until `prices` in configs/inference.json says what the model costs.';

/** Pure. Whom setup is about where nobody says: whoever has the mailbox, else the only persona; undefined: nobody knows. */
function usualPersona(present: Present, { present: mailbox }: Pick<Known, 'present'>): string | undefined {
  const [own] = mailbox ? personasOf(present, mailbox) : [];
  if (own) return own.file.name;
  if (present.configs.gateway.mailboxes.length === 0) return 'Ada';
  return present.personas.length === 1 ? present.personas[0]?.file.name : undefined;
}

/**
 * Pure. The persona of this name. One that is there keeps its zone, and its address where the mailbox may receive it; a new
 * one gets the address of the mailbox, or that with its own name behind a plus sign where somebody has that already.
 */
function personaNamed(
  present: Present,
  {
    name,
    connection,
    flag,
    owner,
  }: {
    name: string;
    connection: Pick<Known, 'id' | 'mailbox' | 'present'>;
    flag: SetupUnderWay['flag'];
    owner: string | undefined;
  },
): SetupAnswers['persona'] {
  const { id: box, mailbox } = connection;
  const before = personaCalled(present, name);
  const id = before?.id ?? idOf(name);
  const login = { user: mailbox };
  const how = before === null ? 'no' : receiving({ imap: login }, before.file.address);
  // Another address of its domain may be anybody's, unless the persona has had the mailbox so far.
  const isReceived =
    before !== null && (connection.present === null ? ['exact', 'tag'] : ['exact', 'tag', 'maybe']).includes(how);
  const given = flag('address');
  const kept = isReceived ? before.file.address : freeAddress(present, { id, mailbox, owner });
  const address = given === undefined ? kept : addressIn(given);
  const holder = holderOf(present, address);
  if (holder && holder.id !== id) throw new EngineError('usage', isOfAnother(address, holder.id));
  const others = present.configs.gateway.mailboxes.filter((one) => one.id !== box);
  const boxes = [...others, { id: box, imap: login, smtp: login }];
  const sends = mailboxesToSendBy(boxes, { address, aliases: [], mailbox: before?.file.mailbox ?? null });
  return {
    id,
    address,
    mailbox: sends.length === 1 && sends[0] === box ? null : box,
    name: before?.file.name ?? name,
    timezone: flag('timezone') ?? before?.file.timezone ?? systemZone(),
  };
}

/** Pure. The mailbox's own, unless somebody else has it, or its owner is written to by it. */
function freeAddress(
  present: Present,
  { id, mailbox, owner }: { id: string; mailbox: string; owner: string | undefined },
): string {
  const holder = holderOf(present, mailbox);
  const isFree = !isSame(mailbox, owner) && (holder === null || holder.id === id);
  return isFree ? mailbox : plusAddress(mailbox, id);
}

export function missing(name: string): never {
  throw new EngineError('usage', `${name} is missing; without a terminal nothing is asked`);
}

/** A server that was found, or that a person has named or confirmed. */
async function chosen(
  { saved, prompts }: SetupUnderWay,
  found: FoundServers | null,
  protocol: 'imap' | 'smtp',
): Promise<string> {
  const one = found?.[protocol] ?? null;
  const written = one && writtenServer(one.server);
  if (one && written && !hasToBeConfirmed(one)) return written;
  const before = saved()[protocol];
  const suggested = before ? writtenServer(before) : (written ?? undefined);
  const asked = await prompts?.server(protocol, suggested);
  if (asked !== undefined) return asked;
  const why = one ? `${one.server.host} has to be confirmed` : 'its server was not found';
  throw new EngineError(
    'usage',
    `--${protocol} is missing, as host:port:tls: ${why}; without a terminal nothing is asked`,
  );
}
