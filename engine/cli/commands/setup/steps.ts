import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { log } from '@clack/prompts';
import { EngineError } from '#contract';
import { loadEnvironment } from '../../../config/environment.ts';
import { personaSchema } from '../../../config/persona-schema.ts';
import { writeSecret } from '../../../config/writing/env-file.ts';
import { systemClock } from '../../../lib/clock.ts';
import { passThrough } from '../../../lib/crash-points.ts';
import { randomIds } from '../../../lib/ids.ts';
import { systemZone } from '../../../lib/schedule/zone.ts';
import { hasToBeConfirmed } from '../../../mailbox/finding/candidates.ts';
import { type Finding, findServers } from '../../../mailbox/finding/find-servers.ts';
import { systemLookups } from '../../../mailbox/finding/lookups.ts';
import type { Provider } from '../../../mailbox/finding/provider-types.ts';
import { clientOfMailbox } from '../../../mailbox/oauth/client.ts';
import { begunInWords } from '../../../mailbox/oauth/grant/in-words.ts';
import { loginsIn } from '../../../workspace.ts';
import { addressIn } from '../../command/addresses.ts';
import type { CommandContext } from '../../command/context.ts';
import { millisecondsOf } from '../../command/wait-option.ts';
import {
  type Answers,
  idOf,
  type Connection as Known,
  type OAuthChoice,
  type Saved,
  secretNameOf,
  serverIn,
} from './answers.ts';
import type { Prompts } from './ask.ts';
import { checkLogin, configOf, firstFault, type LoginOf, withPassword } from './check.ts';
import { AUTOMATIC, modelChoices, modelGiven } from './model.ts';

/** One setup under way. */
export interface Asking {
  readonly context: CommandContext;
  readonly root: string;
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

/** The owner's address and that of the mailbox. */
export async function askAddresses({
  flag,
  prompts,
  saved,
  keep,
}: Asking): Promise<{ owner: string; mailbox: string }> {
  const owner = addressIn(flag('owner') ?? (await prompts?.owner(saved().owner)) ?? missing('--owner'));
  keep({ owner });
  const mailbox = addressIn(flag('mailbox') ?? (await prompts?.mailbox(saved().mailbox)) ?? missing('--mailbox'));
  keep(mailbox === saved().mailbox ? {} : { mailbox, imap: undefined, smtp: undefined });
  return { owner, mailbox };
}

export type Connection = Known & { readonly passwordPage: string | null };

/** The servers of the mailbox: those of the command line, those that are found, or those that a person names. */
export async function askServers(asking: Asking, { id, mailbox }: Pick<Known, 'id' | 'mailbox'>): Promise<Connection> {
  const { flag, keep, say, prompts } = asking;
  const isNamed = flag('imap') !== undefined && flag('smtp') !== undefined;
  const found = isNamed ? null : await findServers(mailbox, { lookups: systemLookups(), askDirectory: false });
  const unfound = prompts ? notFound(found, mailbox) : null;
  if (unfound !== null) say(unfound);
  const imap = serverIn(flag('imap') ?? (await chosen(asking, found, 'imap')));
  const smtp = serverIn(flag('smtp') ?? (await chosen(asking, found, 'smtp')));
  keep({ imap, smtp });
  const provider = found?.provider ?? null;
  for (const hint of provider?.hints ?? []) say(hint);
  const caFile = flag('caFile');
  return {
    ...{ id, imap, smtp, mailbox, user: flag('user') ?? found?.imap?.user ?? mailbox },
    caFile: caFile === undefined ? null : resolve(caFile),
    filesSent: provider?.filesSent ?? false,
    passwordPage: provider?.passwordPage ?? null,
    oauth: await askClient(asking, provider, found?.imap?.auth === 'oauth'),
  };
}

/** Pure. Said before somebody is asked for servers, or they would take that for the usual way; null: some were found. */
export const notFound = (found: Pick<Finding, 'imap' | 'smtp'> | null, mailbox: string): string | null =>
  found !== null && found.imap === null && found.smtp === null
    ? `No servers were found for ${mailbox}.\nWhoever runs its mail knows their names and ports.`
    : null;

const REGISTERING = 'docs/mailbox.md says how to register an app there';

/** The client of a provider that takes no password, or of whichever is named on the command line; null: a password. */
async function askClient(
  { flag, prompts, saved, keep }: Asking,
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

/** The model and the persona. */
export async function askPersona(asking: Asking, mailbox: string): Promise<Pick<Answers, 'model' | 'persona'>> {
  const { flag, prompts, saved, keep, root } = asking;
  const model = modelGiven(root, flag) ?? (await prompts?.model(await modelChoices(root))) ?? AUTOMATIC;
  keep({ model });
  const name = flag('name') ?? (await prompts?.persona(saved().name ?? 'Ada')) ?? 'Ada';
  keep({ name });
  const timezone = flag('timezone') ?? systemZone();
  const persona = { name, address: addressIn(flag('address') ?? mailbox), timezone };
  const read = personaSchema.safeParse(persona);
  if (!read.success) {
    const wrong = read.error.issues.map(({ path, message }) => `${path.join('.')}: expected ${message}`);
    throw new EngineError('usage', `this persona cannot be: ${wrong.join('; ')}`);
  }
  return { model, persona: { id: idOf(name), ...persona } };
}

export function missing(name: string): never {
  throw new EngineError('usage', `${name} is missing; without a terminal nothing is asked`);
}

/** A server that was found, or that a person has named or confirmed. */
async function chosen({ saved, prompts }: Asking, found: Finding | null, protocol: 'imap' | 'smtp'): Promise<string> {
  const one = found?.[protocol] ?? null;
  const written = one && `${one.server.host}:${one.server.port}:${one.server.tls}`;
  if (one && written && !hasToBeConfirmed(one)) return written;
  const before = saved()[protocol];
  const suggested = before ? `${before.host}:${before.port}:${before.tls}` : (written ?? undefined);
  const asked = await prompts?.server(protocol, suggested);
  if (asked !== undefined) return asked;
  const why = one ? `${one.server.host} has to be confirmed` : 'its server was not found';
  throw new EngineError(
    'usage',
    `--${protocol} is missing, as host:port:tls: ${why}; without a terminal nothing is asked`,
  );
}

const TRIES = 3;

/** What both servers take: a login at the provider, or a password, which is kept in `.env`. */
export async function askLogin(asking: Asking, connection: Connection): Promise<LoginOf> {
  if (connection.oauth) return logInAtProvider(asking, connection);
  const secret = await askSecret(asking, connection);
  writeSecret(asking.root, secretNameOf(connection), secret);
  return withPassword(secret);
}

/** A login of before is gone on with, or used where it still holds. */
async function logInAtProvider(
  { root, flag, prompts, say, context }: Asking,
  connection: Connection,
): Promise<LoginOf> {
  const mailbox = configOf(connection);
  const client = clientOfMailbox(mailbox);
  if (!client) throw new TypeError('a mailbox of OAuth has a client');
  const clock = systemClock();
  const parts = { dataDir: join(root, 'data'), environment: loadEnvironment(root), clock, ids: randomIds(clock.now) };
  const logins = loginsIn({ ...parts, pass: passThrough });
  const loginOf: LoginOf = (side) => logins.of(mailbox, side);
  if (!(await loginOf('imap').take()).ok) {
    const pasted = prompts ? createInterface({ input: context.stdin }) : null;
    const logIn = logins.logIn(client, null, {
      ...{ flow: null, returned: flag('url') ?? null, pasted },
      waitMs: millisecondsOf('--login-wait', flag('loginWait'), prompts ? LOGIN_WAIT_S : 0),
      onBegun(pending) {
        for (const line of begunInWords(pending, client, { pastes: prompts !== null })) say(line);
      },
    });
    // The next prompt reads the terminal by itself.
    const done = await logIn.finally(() => pasted?.close());
    if (done.state === 'pending') {
      const what = begunInWords(done.pending, client).slice(0, 2).join(' ');
      throw new EngineError(
        'unauthorised',
        `nobody has logged in yet. ${what} Then run setup again, and it goes on there`,
      );
    }
    if (done.state === 'failed') {
      throw new EngineError('unauthorised', `${done.judged.fault.cause}; ${done.judged.fault.cure}`);
    }
  }
  const fault = firstFault(await checkLogin(connection, loginOf));
  if (fault) throw new EngineError('unauthorised', `${fault.cause}; ${fault.cure}`);
  say('Both servers take the login.');
  return loginOf;
}

const LOGIN_WAIT_S = 900;

/** The secret that both servers take. Throws `unauthorised` with the cause and the cure. */
async function askSecret({ context, root, prompts, say }: Asking, connection: Connection): Promise<string> {
  const name = secretNameOf(connection);
  const kept = loadEnvironment(root).secretOf(name) ?? null;
  for (let tried = 1; ; tried += 1) {
    const page = connection.passwordPage ? ` (${connection.passwordPage})` : '';
    const about = `The password of ${connection.user}${page}`;
    const piped = prompts || kept ? '' : (await context.readBody()).split('\n')[0];
    const given = prompts ? await prompts.secret({ about, isThere: kept !== null }) : piped || null;
    const secret = given ?? kept ?? missing(name);
    const fault = firstFault(await checkLogin(connection, withPassword(secret)));
    if (!fault) {
      say('Both servers take the login.');
      return secret;
    }
    const words = `${fault.cause}; ${fault.cure}`;
    if (!prompts || tried >= TRIES) throw new EngineError('unauthorised', words);
    log.warn(words);
  }
}
