import { iso } from '../../../lib/clock.ts';
import type { OAuthClient } from '../client.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { PendingLogin } from './pending.ts';

/** Pure. What a person has to do, in lines. `pastes`: whoever reads them can paste an address right there. */
export function begunInWords(
  pending: PendingLogin,
  { user, name, preset, server }: OAuthClient,
  { pastes = false }: { readonly pastes?: boolean } = {},
): readonly string[] {
  const until = `It holds until ${iso(pending.ends_at).slice(11, 16)} UTC; after a Ctrl-C the same command goes on with it.`;
  if (pending.flow === 'device') {
    return [`Open ${pending.url} in any browser, enter the code ${pending.user_code}, and log in as ${user}.`, until];
  }
  const { port } = new URL(pending.redirect_uri);
  return [
    `Open this page in a browser on this machine, and log in ${server === null ? `as ${user}` : `for ${user}`}:`,
    pending.url,
    `With the browser on another machine: run there first \`ssh -L ${port}:127.0.0.1:${port} <this machine>\`,`,
    pastes
      ? 'or let it end on a page that cannot be opened, and paste the address of that page here.'
      : 'or let it end on a page that cannot be opened, and give the address of that page to the same command with --url.',
    until,
    ...(preset === 'google'
      ? [`While the app is in "Testing", ${name} ends this login after seven days; set it to "In production" before.`]
      : []),
  ];
}

/** Pure. When the login ends by itself, as the provider says; null: it does not say so. */
export const endInWords = ({ refresh_ends_at: endsAt }: Tokens, { name, preset }: OAuthClient): string | null =>
  endsAt === null
    ? null
    : `${name} ends this login on ${iso(endsAt).slice(0, 10)}${
        preset === 'google' ? ', since the app is in "Testing": set it to "In production" and log in again' : ''
      }`;
