import { endInWords } from '../../mailbox/oauth/grant/in-words.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check, fine, WARNING } from './check.ts';

/** How each mailbox that logs in by OAuth is logged in, as its files say; the provider is not asked. */
export function loginChecks({ live, logins }: Pick<QueryPorts, 'live' | 'logins'>): Check[] {
  return live.current().gateway.mailboxes.flatMap((mailbox) => {
    const state = logins.state(mailbox);
    if (!state) return [];
    const name = `mailbox:${mailbox.id}:login`;
    if (state.wrong) return [bad(name, state.wrong.fault.cause, state.wrong.fault.cure)];
    const { client, tokens } = state;
    const end = tokens && endInWords(tokens, client);
    if (end === null) return [fine(name, `logged in to ${client.name} as ${client.user}`)];
    return [{ ...fine(name, `${WARNING}${end}`), cure: `run \`epistle mailbox login ${mailbox.id}\` before then` }];
  });
}
