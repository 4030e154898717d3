import type { ImapConfig, MailboxConfig, SmtpConfig } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { type Login, passwordLogin } from '../login/login.ts';
import { createAccount } from './account.ts';
import { askProvider } from './ask.ts';
import { accountOf, clientOfMailbox, type OAuthClient } from './client.ts';
import type { HowToLogIn, LoggedIn } from './grant/log-in.ts';
import { type JudgedRefusal, judgeRefusal, loginNeeded } from './refusal.ts';
import type { TryLock } from './tokens/lock.ts';
import { type TokenFile, tokenFile } from './tokens/token-file.ts';
import type { Tokens } from './tokens/tokens.ts';

/** A login that only a person can mend. */
export interface Trouble {
  readonly account: string;
  readonly client: OAuthClient;
  readonly judged: JudgedRefusal;
  /** When somebody logged in last. */
  readonly grantedAt: number;
}

/** How the login of a mailbox is, as its files say; nobody is asked. */
export interface LoginState {
  readonly client: OAuthClient;
  readonly tokens: Tokens | null;
  /** Null: it works as far as anybody knows. */
  readonly wrong: JudgedRefusal | null;
}

/** The logins of all mailboxes. Mailboxes of one account share one. */
export interface Logins {
  of(mailbox: MailboxConfig, side: 'imap' | 'smtp'): Login;
  /** Null where it does not log in by OAuth. */
  state(mailbox: MailboxConfig): LoginState | null;
  fileOf(client: OAuthClient): TokenFile;
  /** A login of a person; see `logIn`. */
  logIn(client: OAuthClient, mailbox: string | null, how: HowToLogIn): Promise<LoggedIn>;
  /** Told once of each trouble of this process, and of those of before at once. */
  onTrouble(listener: (trouble: Trouble) => void): void;
}

/** Troubles of a process, each told once to whoever listens, and to whoever begins to listen later. */
export function createTroubles() {
  const troubles = new Map<string, Trouble>();
  const listeners: ((trouble: Trouble) => void)[] = [];
  return {
    tell(trouble: Trouble): void {
      const key = `${trouble.account} ${trouble.grantedAt} ${trouble.judged.fault.code}`;
      if (troubles.has(key)) return;
      troubles.set(key, trouble);
      for (const listener of listeners) listener(trouble);
    },
    onTrouble(listener: (trouble: Trouble) => void): void {
      listeners.push(listener);
      for (const trouble of troubles.values()) listener(trouble);
    },
  };
}

/** Pure. What a file of tokens says of a login; null: there is no file. */
export function loginState(client: OAuthClient, mailbox: string | null, tokens: Tokens | null): LoginState {
  if (tokens === null) return { client, tokens, wrong: loginNeeded(client, mailbox) };
  if (tokens.refused === null) return { client, tokens, wrong: null };
  const { granted_at: grantedAt, refresh_ends_at: endsAt, refused } = tokens;
  const asked = { client, mailbox, during: 'renewal', grantedAt, endsAt, now: refused.at } as const;
  return { client, tokens, wrong: judgeRefusal(refused, asked) };
}

export function createLogins(deps: {
  readonly dataDir: string;
  secretOf(name: string): string | undefined;
  readonly tryLock: TryLock;
  readonly clock: Clock;
  /** So many random bytes, in hex. */
  random(bytes: number): string;
  readonly pass: PassCrashPoint;
}): Logins {
  const { dataDir, secretOf, clock } = deps;
  const accounts = new Map<string, Login>();
  const { tell, onTrouble } = createTroubles();
  const fileOf = (client: OAuthClient) => tokenFile(dataDir, accountOf(client));
  const accountFor = (client: OAuthClient, mailbox: string): Login => {
    const account = accountOf(client);
    // What the settings say of it may change while it is the same account.
    const key = JSON.stringify([account, client]);
    const known = accounts.get(key);
    if (known) return known;
    const made = createAccount({
      client,
      mailbox,
      clock,
      clientSecret: () => (client.clientSecretEnv === null ? undefined : secretOf(client.clientSecretEnv)),
      tryLock: deps.tryLock,
      pass: deps.pass,
      ask: askProvider,
      file: fileOf(client),
      onNeedsPerson: (judged, { granted_at: grantedAt }) => tell({ account, client, judged, grantedAt }),
    });
    accounts.set(key, made);
    return made;
  };

  return {
    of(mailbox, side) {
      const config: ImapConfig | SmtpConfig | undefined = mailbox[side];
      const client = config?.auth === 'oauth' ? clientOfMailbox(mailbox) : null;
      if (client) return accountFor(client, mailbox.id);
      return passwordLogin(config ?? { auth: 'none', secret_env: '' }, secretOf);
    },
    state(mailbox) {
      const client = clientOfMailbox(mailbox);
      if (!client) return null;
      return loginState(client, mailbox.id, fileOf(client).read());
    },
    fileOf,
    async logIn(client, mailbox, how) {
      const clientSecret = client.clientSecretEnv === null ? undefined : secretOf(client.clientSecretEnv);
      // Loaded where somebody logs in: it brings a server along.
      const { logIn } = await import('./grant/log-in.ts');
      return logIn({
        client,
        mailbox,
        clientSecret,
        clock,
        file: fileOf(client),
        ask: askProvider,
        register: null,
        tryLock: deps.tryLock,
        random: deps.random,
        ...how,
      });
    },
    onTrouble,
  };
}
