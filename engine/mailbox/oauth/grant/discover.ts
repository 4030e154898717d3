import { z } from 'zod';
import type { Answer } from '../ask.ts';
import type { Endpoints, OAuthClient } from '../client.ts';
import type { Refusal } from '../refusal.ts';

const metadata = z.object({
  issuer: z.string(),
  token_endpoint: z.string(),
  authorization_endpoint: z.string().optional(),
  device_authorization_endpoint: z.string().optional(),
});

export type Discovered =
  | { readonly ok: true; readonly endpoints: Endpoints & { readonly token: string } }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * The endpoints of a client: those that are known or set, else those that its issuer publishes (OpenID Connect
 * Discovery, RFC 8414). An answer in another's name, or one that leads out of TLS, counts for nothing.
 */
export async function discover(
  { endpoints, issuer }: OAuthClient,
  ask: (url: string, form: null) => Promise<Answer>,
): Promise<Discovered> {
  if (endpoints.token !== null) return { ok: true, endpoints: { ...endpoints, token: endpoints.token } };
  if (issuer === null) return { ok: false, refusal: { status: 404, error: null, description: 'no issuer' } };
  let last: Refusal = { status: 404, error: null, description: '' };
  for (const url of placesOf(issuer)) {
    const answer = await ask(url, null);
    const found = answer.ok ? metadata.safeParse(answer.body).data : undefined;
    if (found && isOf(issuer, found)) {
      const { token_endpoint: token, authorization_endpoint, device_authorization_endpoint } = found;
      return {
        ok: true,
        endpoints: {
          token,
          authorization: endpoints.authorization ?? authorization_endpoint ?? null,
          device: endpoints.device ?? device_authorization_endpoint ?? null,
        },
      };
    }
    if (!answer.ok) last = answer.refusal;
  }
  return { ok: false, refusal: last };
}

/** RFC 8414 section 3 puts its word before the path of the issuer, OpenID Connect behind it. */
function placesOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

function isOf(issuer: string, found: z.infer<typeof metadata>): boolean {
  const isSame = found.issuer.replace(/\/$/, '') === issuer.replace(/\/$/, '');
  const urls = [found.token_endpoint, found.authorization_endpoint, found.device_authorization_endpoint];
  return isSame && urls.every((url) => url === undefined || isGuarded(url, issuer));
}

/** Over TLS; in the clear where the issuer itself is on this machine. */
const isGuarded = (url: string, issuer: string): boolean =>
  url.startsWith('https:') || (issuer.startsWith('http:') && URL.parse(url)?.hostname === new URL(issuer).hostname);
