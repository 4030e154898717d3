import { LOGIN_OPTIONS } from '../../command/oauth-login.ts';

const SERVER = 'host:port:tls, where it is not to be looked for';

/** What can be said of a mailbox instead of having it looked for or asked. */
export const CONNECTION_OPTIONS = {
  user: { flags: '--user <name>', about: 'to log in with (default: the address)' },
  imap: { flags: '--imap <server>', about: SERVER },
  smtp: { flags: '--smtp <server>', about: SERVER },
  caFile: { flags: '--ca-file <file>', about: 'PEM of the authority that signs the certificates of the servers' },
  clientId: { flags: '--client-id <id>', about: 'of your app at the provider: log in by OAuth, without a password' },
  clientSecretEnv: { flags: '--client-secret-env <name>', about: 'variable that holds the secret of the app' },
  oauthIssuer: { flags: '--oauth-issuer <url>', about: 'of a provider that is not known' },
  url: LOGIN_OPTIONS.url,
  loginWait: { flags: '--login-wait <seconds>', about: 'for the login at the provider (default without prompts: 0)' },
} as const;

/** By the name of its option; undefined where it was not given. */
export const flagOf =
  (given: Readonly<Record<string, unknown>>) =>
  (name: string): string | undefined => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
