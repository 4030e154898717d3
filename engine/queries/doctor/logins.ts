import type { LoginState } from '../../mailbox/oauth/accounts.ts';
import { endInWords } from '../../mailbox/oauth/grant/in-words.ts';
import { loginCommand } from '../../mailbox/oauth/refusal.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check, fine, WARNING } from './check.ts';

type Ports = Pick<QueryPorts, 'live' | 'logins' | 'serverLogins'>;

/** How each mailbox and MCP server with a login by OAuth is logged in, as their files say; the provider is not asked. */
export function loginChecks({ live, logins, serverLogins }: Ports): Check[] {
  const { gateway, extensions } = live.current();
  const servers = extensions.mcp.filter(({ enabled }) => enabled);
  return [
    ...gateway.mailboxes.flatMap((one) => checkOf(`mailbox:${one.id}:login`, logins.state(one), one.id)),
    ...servers.flatMap((one) => checkOf(`mcp:${one.name}:login`, serverLogins.state(one), null)),
  ];
}

function checkOf(name: string, state: LoginState | null, mailbox: string | null): Check[] {
  if (!state) return [];
  if (state.wrong) return [bad(name, state.wrong.fault.cause, state.wrong.fault.cure)];
  const { client, tokens } = state;
  const end = tokens && endInWords(tokens, client);
  const whom = client.server === null ? `as ${client.user}` : `for ${client.user}`;
  if (end === null) return [fine(name, `logged in to ${client.name} ${whom}`)];
  return [{ ...fine(name, `${WARNING}${end}`), cure: `run ${loginCommand(client, mailbox)} before then` }];
}
