import { z } from 'zod';
import { certificateFault, innermostCode } from '#contract/http';
import { isSafeForTokens } from '../../../config/mailbox-schema.ts';
import type { McpServerConfig } from '../../../config/types.ts';
import { messageOf } from '../../../lib/error-message.ts';
import { limitedFetch } from '../../../lib/http/limited-fetch.ts';
import { hideSecrets } from '../../../lib/secrets/secrets.ts';
import { fault, KEY_OF_AUTHORITY } from '../../faults/fault.ts';
import type { Registering } from '../grant/log-in.ts';
import type { JudgedRefusal } from '../refusal.ts';
import type { Registered } from '../tokens/registered.ts';

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 15_000;
const CLIENT_NAME = 'Epistle';

/** What of an answer to a registration matters; an empty secret is none. */
const given = z.object({
  client_id: z.string().min(1).max(5000),
  client_secret: z.string().max(50_000).optional(),
  token_endpoint_auth_method: z.string().optional(),
});

type Server = Pick<McpServerConfig, 'name' | 'url' | 'ca_file' | 'oauth'>;
/** All but the client. */
type Found = Omit<Registered, 'client_id' | 'client_secret' | 'secret_by'>;

/** What is wrong, and what helps, where only a person can help. */
class Wrong extends Error {
  readonly cure: string;
  constructor(cause: string, cure: string) {
    super(cause);
    this.cure = cure;
  }
}

/**
 * Finds out where somebody logs in to a server (RFC 9728, RFC 8414) and for what, and registers this gateway there
 * (RFC 7591) unless its client is known. Never throws. Nothing of what it is told is followed out of TLS.
 */
export async function registerFor(server: Server, redirectUri: string): Promise<Registering> {
  try {
    const { found, metadata, authorizationServerUrl } = await find(server);
    const methods = metadata.token_endpoint_auth_methods_supported ?? [];
    const { client_id } = server.oauth;
    if (client_id !== null) {
      const secret_by = methods.length === 0 || methods.includes('client_secret_post') ? 'form' : 'header';
      return { ok: true, registered: { ...found, client_id, client_secret: null, secret_by } };
    }
    if (metadata.registration_endpoint === undefined) {
      throw new Wrong(
        `${new URL(found.issuer).host} lets no program register itself`,
        `register one there with the redirect ${redirectUri}, and set oauth.client_id and oauth.redirect_port of ${server.name}`,
      );
    }
    const method = METHODS.find((one) => methods.includes(one)) ?? 'none';
    const { registerClient } = await import('@modelcontextprotocol/client');
    const client = given.parse(
      await registerClient(authorizationServerUrl, {
        metadata,
        fetchFn: fetchFor(server),
        clientMetadata: {
          client_name: CLIENT_NAME,
          redirect_uris: [redirectUri],
          application_type: 'native',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: method,
        },
        ...(found.scopes.length === 0 ? {} : { scope: found.scopes.join(' ') }),
      }),
    );
    return { ok: true, registered: { ...found, ...clientIn(client, method) } };
  } catch (error) {
    return { ok: false, judged: judgedOf(error, server) };
  }
}

/** Best without a secret: a program on somebody's machine can keep none, and PKCE binds the login to it. */
const METHODS = ['none', 'client_secret_post', 'client_secret_basic'];

function clientIn({ client_id, client_secret = '', token_endpoint_auth_method }: z.infer<typeof given>, asked: string) {
  const method = token_endpoint_auth_method ?? asked;
  return {
    client_id,
    client_secret: method === 'none' || client_secret === '' ? null : client_secret,
    secret_by: method === 'client_secret_basic' ? ('header' as const) : ('form' as const),
  };
}

function judgedOf(error: unknown, { name }: Server): JudgedRefusal {
  if (error instanceof Wrong) return { fault: fault('token_server_wrong', error.message, error.cure), until: 'person' };
  const doubt = certificateFault(innermostCode(error), KEY_OF_AUTHORITY);
  if (doubt) {
    const why = `where somebody logs in to the MCP server ${name} could not be asked: ${doubt.cause}`;
    return { fault: fault('token_server_unreachable', why, doubt.cure), until: 'time' };
  }
  const said = hideSecrets(messageOf(error).replace(/\s+/g, ' ')).slice(0, 200);
  const cause = `where somebody logs in to the MCP server ${name} could not be found out (${said})`;
  return { fault: fault('token_server_unreachable', cause, 'check its url and the network'), until: 'time' };
}

async function find({ name, url = '', ca_file, oauth }: Server) {
  const { checkResourceAllowed, discoverOAuthServerInfo } = await import('@modelcontextprotocol/client');
  const { resourceMetadataUrl, scope } = await challengeOf({ name, url, ca_file });
  const { authorizationServerMetadata, ...rest } = await discoverOAuthServerInfo(url, {
    fetchFn: fetchFor({ name, url, ca_file }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  });
  const metadata = authorizationServerMetadata;
  if (!metadata)
    throw new Wrong(`the MCP server ${name} does not say where somebody logs in to it`, 'check its url and its auth');
  const { issuer, authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  for (const endpoint of [issuer, authorization_endpoint, token_endpoint, registration_endpoint])
    if (endpoint !== undefined) staysInside(endpoint, { name, url });
  const resource = rest.resourceMetadata?.resource ?? null;
  // A token is to be for this server alone, and not for another one that this one names.
  if (resource !== null && !checkResourceAllowed({ requestedResource: url, configuredResource: resource }))
    throw new Wrong(`the MCP server ${name} wants a login to another server`, 'put the address of that one into url');
  if (metadata.code_challenge_methods_supported?.includes('S256') === false)
    throw new Wrong(`${new URL(issuer).host} knows no PKCE, so a login could be stolen`, 'tell whoever runs it');
  const found: Found = {
    issuer,
    authorization_endpoint,
    token_endpoint,
    resource,
    scopes: oauth.scopes ?? scopesOf(scope, rest.resourceMetadata?.scopes_supported, metadata.scopes_supported),
    says_issuer: metadata.authorization_response_iss_parameter_supported === true,
  };
  return { found, metadata, authorizationServerUrl: rest.authorizationServerUrl };
}

/** What the server says to whoever comes without a token. */
async function challengeOf(server: Place): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const response = await fetchFor(server)(server.url ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

/** The challenge knows best what is wanted now (MCP, authorization). What gives a refresh token is added where it is known. */
function scopesOf(
  challenged: string | undefined,
  listed: readonly string[] = [],
  known: readonly string[] = [],
): string[] {
  const scopes = challenged === undefined ? [...listed] : challenged.split(' ').filter((scope) => scope !== '');
  return known.includes('offline_access') && !scopes.includes('offline_access')
    ? [...scopes, 'offline_access']
    : scopes;
}

type Place = Pick<McpServerConfig, 'name' | 'url' | 'ca_file'>;

/**
 * Throws where it is not. In the clear only where the server itself is on this machine: no server leads the gateway into
 * the network behind it.
 */
function staysInside(endpoint: string, { name, url = '' }: Place): void {
  if (endpoint.startsWith('https:') || (url.startsWith('http:') && isSafeForTokens(endpoint))) return;
  throw new Wrong(`the login to the MCP server ${name} leads out of TLS`, 'tell whoever runs that server');
}

/** Where somebody logs in may be another server than the one with the private authority, and a public one. */
const fetchFor = (server: Place) => {
  const bounded = limitedFetch(MAX_BYTES, server.ca_file, { alsoKnown: true });
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    staysInside(String(url), server);
    return bounded(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  };
};
