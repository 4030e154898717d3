import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { log } from '@clack/prompts';
import { EngineError } from '#contract';
import { loadEnvironment } from '../../../config/environment.ts';
import { systemClock } from '../../../lib/clock.ts';
import { passThrough } from '../../../lib/crash-points.ts';
import { randomIds } from '../../../lib/ids.ts';
import { clientOfMailbox } from '../../../mailbox/oauth/client.ts';
import { begunInWords } from '../../../mailbox/oauth/grant/in-words.ts';
import { loginsIn } from '../../../workspace.ts';
import { millisecondsOf } from '../../command/wait-option.ts';
import { secretNamesOf, serverIn, writtenServer } from './answers.ts';
import {
  checkLogin,
  configOf,
  cureHere,
  doubtedBy,
  type FoundFault,
  firstFault,
  type LoginOf,
  withSecrets,
} from './check.ts';
import { type AskedConnection, missing, type SetupUnderWay } from './steps.ts';

/** More wrong passwords than these, and somebody is trying them. */
const TRIES = 10;

/** By the names of their variables. */
type Secrets = Readonly<Record<string, string>>;

/** What both servers take: a login at the provider, or passwords, which are written with all else. */
export interface ProvenLogin {
  /** With what was mended of it. */
  readonly connection: AskedConnection;
  readonly loginOf: LoginOf;
  readonly secrets: Secrets;
}

export async function askLogin(asking: SetupUnderWay, connection: AskedConnection): Promise<ProvenLogin> {
  if (connection.oauth) return { connection, loginOf: await logInAtProvider(asking, connection), secrets: {} };
  const { secrets, connection: mended } = await askSecrets(asking, connection);
  return { connection: mended, loginOf: withSecrets(mended, secretsOf(asking.root, secrets)), secrets };
}

/** Those that were given now, then those of the environment. */
function secretsOf(root: string, given: Secrets): (name: string) => string | undefined {
  const environment = loadEnvironment(root);
  return (name) => (Object.hasOwn(given, name) ? given[name] : environment.secretOf(name));
}

/** A login of before is gone on with, or used where it still holds. */
async function logInAtProvider(
  { root, flag, prompts, say, context }: SetupUnderWay,
  connection: AskedConnection,
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
      flow: null,
      returned: flag('url') ?? null,
      pasted,
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
  if (fault) throw new EngineError('unauthorised', `${fault.cause}; ${cureHere(fault, false)}`);
  say('Both servers take the login.');
  return loginOf;
}

const LOGIN_WAIT_S = 900;

/**
 * The secrets that both servers take, and the servers that take them: what a fault calls into question is asked again.
 * Throws `unauthorised` with the cause and the cure.
 */
async function askSecrets(
  asking: SetupUnderWay,
  first: AskedConnection,
): Promise<{ readonly secrets: Secrets; readonly connection: AskedConnection }> {
  const { root, prompts, say, saved, keep } = asking;
  const names = secretNamesOf(first);
  let connection = first;
  let given: string | null | undefined;
  const before = secretsOf(root, saved().secrets ?? {});
  let refused = 0;
  for (;;) {
    if (given === undefined)
      given = await askedSecret(asking, connection, { isThere: names.every((name) => before(name) !== undefined) });
    const typed = given;
    const secrets = Object.fromEntries(names.map((name) => [name, typed ?? before(name) ?? missing(name)]));
    const fault = firstFault(await checkLogin(connection, withSecrets(connection, secretsOf(root, secrets))));
    if (!fault) {
      // Beside the key of a model.
      if (prompts) keep({ secrets: { ...saved().secrets, ...secrets } });
      say('Both servers take the login.');
      return { secrets, connection };
    }
    const words = `${fault.cause}; ${cureHere(fault, prompts !== null)}`;
    const doubted = doubtedBy(fault);
    if (doubted === 'secret') refused += 1;
    if (!prompts || refused >= TRIES || (doubted === 'secret' && names.length === 0))
      throw new EngineError('unauthorised', words);
    log.warn(words);
    connection = await askAgain(asking, connection, fault);
    // What the server could not be asked about stays.
    if (doubted === 'secret') given = undefined;
  }
}

/** The answer that a fault calls into question, given once more; that of the secret is asked for with the next try. */
async function askAgain(
  { prompts, keep }: SetupUnderWay,
  connection: AskedConnection,
  fault: FoundFault,
): Promise<AskedConnection> {
  const doubted = doubtedBy(fault);
  if (prompts === null || doubted === 'secret') return connection;
  if (doubted === 'authority') {
    const caFile = resolve(await prompts.caFile(connection.caFile ?? undefined));
    keep({ ca_file: caFile });
    return { ...connection, caFile };
  }
  const { side } = fault;
  const server = serverIn(await prompts.server(side, writtenServer(connection[side])), side);
  keep({ [side]: server });
  return { ...connection, [side]: server };
}

/** A password that somebody types or pipes; null: that of before is kept, or none is needed. */
async function askedSecret(
  { context, prompts }: SetupUnderWay,
  connection: AskedConnection,
  { isThere }: { isThere: boolean },
): Promise<string | null> {
  if (secretNamesOf(connection).length === 0) return null;
  const page = connection.passwordPage ? ` (${connection.passwordPage})` : '';
  if (prompts) return prompts.secret({ about: `The password of ${connection.user}${page}`, isThere });
  return isThere ? null : (await context.readBody()).split('\n')[0] || null;
}
