import type { McpServerConfig } from '../../../config/types.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { PassCrashPoint } from '../../../lib/crash-points.ts';
import { sha256 } from '../../../lib/ids.ts';
import type { Login } from '../../login/login.ts';
import { createAccount } from '../account.ts';
import { createTroubles, type LoginState, loginState, type Trouble } from '../accounts.ts';
import { askProviderTrusting } from '../ask.ts';
import { clientAs, type OAuthClient } from '../client.ts';
import type { HowToLogIn, LoggedIn } from '../grant/log-in.ts';
import type { TryLock } from '../tokens/lock.ts';
import { type TokenFile, tokenFile } from '../tokens/token-file.ts';

/** The logins to MCP servers; each has a file of its own. */
export interface ServerLogins {
  /** Null: the server wants none. */
  of(server: McpServerConfig): Login | null;
  /** As its file says; nobody is asked. Null: the server wants none. */
  state(server: McpServerConfig): LoginState | null;
  /** A login of a person in a browser. */
  logIn(server: McpServerConfig, how: Omit<HowToLogIn, 'flow'>): Promise<LoggedIn>;
  /** As `Logins.onTrouble`. */
  onTrouble(listener: (trouble: Trouble) => void): void;
}

export function createServerLogins(deps: {
  readonly dataDir: () => string;
  secretOf(name: string): string | undefined;
  readonly tryLock: TryLock;
  readonly clock: Clock;
  random(bytes: number): string;
  readonly pass: PassCrashPoint;
}): ServerLogins {
  const { secretOf, clock, tryLock } = deps;
  const accounts = new Map<string, Login>();
  const { tell, onTrouble } = createTroubles();
  const fileOf = (server: McpServerConfig) => tokenFile(deps.dataDir(), accountOfServer(server));
  const ofSettings = ({ clientSecretEnv }: OAuthClient) =>
    clientSecretEnv === null ? undefined : secretOf(clientSecretEnv);

  /** A login in another command may have registered another client. */
  const accountFor = (server: McpServerConfig): Login => {
    const file = fileOf(server);
    const registered = file.read()?.registered ?? null;
    const client = clientIn(server, file);
    const key = JSON.stringify([file.lockPath, client, registered?.client_secret, server.ca_file]);
    const known = accounts.get(key);
    if (known) return known;
    const account = accountOfServer(server);
    const made = createAccount({
      client,
      file,
      clock,
      tryLock,
      mailbox: null,
      pass: deps.pass,
      ask: askProviderTrusting(server.ca_file),
      clientSecret: () => registered?.client_secret ?? ofSettings(client),
      onNeedsPerson: (judged, { granted_at: grantedAt }) => tell({ account, client, judged, grantedAt }),
    });
    accounts.set(key, made);
    return made;
  };

  return {
    of(server) {
      if (server.auth !== 'oauth') return null;
      return {
        take: () => accountFor(server).take(),
        refused: (secret) => accountFor(server).refused(secret),
        mark: () => accountFor(server).mark(),
      };
    },
    state(server) {
      if (server.auth !== 'oauth') return null;
      const file = fileOf(server);
      return loginState(clientIn(server, file), null, file.read());
    },
    async logIn(server, how) {
      const client = clientOfServer(server);
      // Loaded where somebody logs in: they bring a server along.
      const [{ logIn }, { registerFor }] = await Promise.all([import('../grant/log-in.ts'), import('./register.ts')]);
      return logIn({
        client,
        mailbox: null,
        clientSecret: ofSettings(client),
        clock,
        file: fileOf(server),
        ask: askProviderTrusting(server.ca_file),
        tryLock,
        random: deps.random,
        ...how,
        flow: 'browser',
        register: (redirectUri) => registerFor(server, redirectUri),
      });
    },
    onTrouble,
  };
}

/** Pure. What the settings say of the client; where it logs in is found out by the login. */
function clientOfServer({ name, url = '', oauth }: McpServerConfig): OAuthClient {
  return {
    name: new URL(url).host,
    preset: null,
    issuer: null,
    extra: {},
    user: `the MCP server ${name}`,
    endpoints: { token: null, authorization: null, device: null },
    clientId: oauth.client_id ?? '',
    clientSecretEnv: oauth.client_secret_env,
    scopes: oauth.scopes ?? [],
    flow: 'browser',
    resource: null,
    secretBy: 'form',
    redirect: { host: '127.0.0.1', port: oauth.redirect_port, path: '/callback' },
    server: { name, registers: oauth.client_id === null },
  };
}

function clientIn(server: McpServerConfig, file: TokenFile): OAuthClient {
  const registered = file.read()?.registered ?? null;
  return registered === null ? clientOfServer(server) : clientAs(clientOfServer(server), registered);
}

/** Pure. Of another address, or for another client, a login is another one: no token goes where it was not given for. */
const accountOfServer = ({ name, url, oauth }: McpServerConfig): string =>
  sha256(JSON.stringify(['mcp', name, url, oauth.client_id])).slice(0, 24);
