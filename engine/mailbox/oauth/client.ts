import type { MailboxConfig, OAuthConfig } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import type { Registered } from './tokens/registered.ts';

/** Where a provider is asked. Null: it has none, or it is found by the issuer at the first login. */
export interface Endpoints {
  readonly token: string | null;
  readonly authorization: string | null;
  readonly device: string | null;
}

export type LoginFlow = 'device' | 'browser';

/** A client that is registered at a provider, for one account there. */
export interface OAuthClient {
  /** For people: Google, Microsoft, or the host of any other. */
  readonly name: string;
  readonly preset: 'google' | 'microsoft' | null;
  readonly issuer: string | null;
  readonly endpoints: Endpoints;
  readonly clientId: string;
  readonly clientSecretEnv: string | null;
  readonly scopes: readonly string[];
  /** The way of logging in that works best there. */
  readonly flow: LoginFlow;
  /** Host and port to which a browser is sent back; 0: any free port. */
  readonly redirect: {
    readonly host: '127.0.0.1' | 'localhost';
    readonly port: number;
    readonly path: '' | '/callback';
  };
  /** What else a request in the browser carries. */
  readonly extra: Readonly<Record<string, string>>;
  /** The account, as it is named at the mail server; of an MCP server, what logs in. */
  readonly user: string;
  /** The MCP server for which it is; null: it is for a mailbox. `registers`: it gets its client by itself, at each login. */
  readonly server: { readonly name: string; readonly registers: boolean } | null;
  /** What the tokens are for (RFC 8707); null: it is not said. */
  readonly resource: string | null;
  /** How the token endpoint is shown the secret of the client. */
  readonly secretBy: 'form' | 'header';
}

type Preset = Pick<OAuthClient, 'name' | 'endpoints' | 'scopes' | 'flow' | 'extra'> & {
  readonly redirectHost: OAuthClient['redirect']['host'];
};

const GOOGLE: Preset = {
  name: 'Google',
  endpoints: {
    token: 'https://oauth2.googleapis.com/token',
    authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
    // It has one, which refuses every scope of mail.
    device: null,
  },
  scopes: ['https://mail.google.com/'],
  flow: 'browser',
  redirectHost: '127.0.0.1',
  // Without consent that is asked for anew, a second login gets no refresh token.
  extra: { access_type: 'offline', prompt: 'consent' },
};

const microsoft = (tenant: string): Preset => {
  const base = `https://login.microsoftonline.com/${tenant}/oauth2/v2.0`;
  return {
    name: 'Microsoft',
    endpoints: { token: `${base}/token`, authorization: `${base}/authorize`, device: `${base}/devicecode` },
    // Of this resource alone: a token is for one, and both mail servers take it.
    scopes: [
      'https://outlook.office.com/IMAP.AccessAsUser.All',
      'https://outlook.office.com/SMTP.Send',
      'offline_access',
    ],
    flow: 'device',
    // Its loopback addresses may have any port under this name alone.
    redirectHost: 'localhost',
    extra: {},
  };
};

/** Any other provider. Those that know `offline_access` give a refresh token for it. */
const other = ({ issuer, token_endpoint, device_authorization_endpoint }: OAuthConfig): Preset => ({
  name: new URL(issuer ?? token_endpoint ?? '').host,
  endpoints: { token: null, authorization: null, device: null },
  scopes: ['offline_access'],
  flow: device_authorization_endpoint === null ? 'browser' : 'device',
  redirectHost: '127.0.0.1',
  extra: {},
});

/** Pure. What is known of the provider before anybody asks it, with what the settings say over it. */
export function clientOf(config: OAuthConfig, user: string): OAuthClient {
  const { preset, tenant } = config;
  const known = preset === 'google' ? GOOGLE : preset === 'microsoft' ? microsoft(tenant) : other(config);
  return {
    name: known.name,
    preset,
    issuer: preset === null ? config.issuer : null,
    extra: known.extra,
    user,
    endpoints: {
      token: config.token_endpoint ?? known.endpoints.token,
      authorization: config.authorization_endpoint ?? known.endpoints.authorization,
      device: config.device_authorization_endpoint ?? known.endpoints.device,
    },
    clientId: config.client_id,
    clientSecretEnv: config.client_secret_env,
    scopes: config.scopes ?? known.scopes,
    flow: config.flow ?? known.flow,
    redirect: { host: known.redirectHost, port: config.redirect_port, path: '' },
    server: null,
    resource: null,
    secretBy: 'form',
  };
}

/** Pure. The client of a mailbox that logs in by OAuth on one side at least; null for any other. */
export function clientOfMailbox({ imap, smtp, oauth }: MailboxConfig): OAuthClient | null {
  const side = [imap, smtp].find((one) => one?.auth === 'oauth');
  return side && oauth ? clientOf(oauth, side.user) : null;
}

/** Pure. The client as it was registered at the provider, for those that are found and registered by the login itself. */
export const clientAs = (client: OAuthClient, registered: Registered): OAuthClient => ({
  ...client,
  name: new URL(registered.issuer).host,
  issuer: registered.issuer,
  endpoints: { token: registered.token_endpoint, authorization: registered.authorization_endpoint, device: null },
  clientId: registered.client_id,
  scopes: registered.scopes,
  resource: registered.resource,
  secretBy: registered.secret_by,
});

/** Pure. One name for each account at a provider, also where several mailboxes are read with it. */
export const accountOf = ({ issuer, endpoints, clientId, user }: OAuthClient): string =>
  sha256(JSON.stringify([issuer ?? endpoints.token, clientId, user.toLowerCase()])).slice(0, 24);
