import type { Json } from '#contract';
import type { SettingChange } from '../../../config/writing/settings.ts';
import { jsonObject } from '../../../lib/json.ts';
import type { Border } from '../../../mailbox/trial/learn.ts';
import { type Answers, type Connection, secretNameOf } from './answers.ts';

/** What stands in the workspace already, by file; null where there is none. */
export type Present = Readonly<Record<'gateway' | 'security' | 'extensions', { readonly [key: string]: Json } | null>>;

const change = (file: string, path: readonly string[], to: Json): SettingChange => ({ file, path, from: null, to });

/** Pure. Every setting that a workspace with this mailbox and this persona needs, the mailbox last. */
export function settingsFor(answers: Answers, border: Border, present: Present): readonly SettingChange[] {
  const { persona, owner, mailbox, model } = answers;
  const file = `personas/${persona.id}/persona.json`;
  return [
    change(file, ['name'], persona.name),
    change(file, ['address'], persona.address),
    change(file, ['timezone'], persona.timezone),
    ...(model.provider === null ? [] : [change('configs/inference.json', ['provider'], model.provider)]),
    ...(model.model === null ? [] : [change('configs/inference.json', ['model'], model.model)]),
    ...(model.url === null
      ? []
      : [change('extensions/extensions.json', ['providers'], withUrl(present, model.provider ?? 'openai', model.url))]),
    change('configs/security.json', ['owners'], [owner]),
    ...trustedBy(border, present),
    change('configs/gateway.json', ['domain'], mailbox.slice(mailbox.lastIndexOf('@') + 1)),
    // Any free port: another Epistle on this machine has the usual one.
    change('configs/gateway.json', ['smtp_listener'], { host: '127.0.0.1', port: 0 }),
    change('configs/gateway.json', ['mailboxes'], [...otherMailboxes(present, answers.id), mailboxOf(answers, border)]),
  ];
}

/** Pure. One more mailbox beside those that there are. */
export const settingsOfMailbox = (
  connection: Connection,
  border: Border,
  present: Pick<Present, 'gateway' | 'security'>,
): readonly SettingChange[] => [
  ...trustedBy(border, present),
  change(
    'configs/gateway.json',
    ['mailboxes'],
    [...listIn(present.gateway, 'mailboxes'), mailboxOf(connection, border)],
  ),
];

function mailboxOf({ id, imap, smtp, user, caFile, filesSent, oauth }: Connection, { authservId }: Border): Json {
  const how = oauth === null ? { secret_env: secretNameOf({ id }) } : { auth: 'oauth' };
  const login = { user, ...how, ...(caFile === null ? {} : { tls_ca_file: caFile }) };
  return {
    id,
    imap: { ...imap, ...login, ...(authservId === null ? {} : { authserv_id: authservId }) },
    smtp: { ...smtp, ...login },
    ...(oauth === null ? {} : { oauth }),
    save_sent: !filesSent,
  };
}

const listIn = (object: { readonly [key: string]: Json } | null, key: string): readonly Json[] => {
  const value = object?.[key];
  return Array.isArray(value) ? value : [];
};

const named = (one: Json, key: string, name: string): boolean =>
  one === name || jsonObject.safeParse(one).data?.[key] === name;

const otherMailboxes = ({ gateway }: Present, id: string) =>
  listIn(gateway, 'mailboxes').filter((one) => !named(one, 'id', id));

const withUrl = ({ extensions }: Present, name: string, url: string): Json => [
  ...listIn(extensions, 'providers').filter((one) => !named(one, 'name', name)),
  { name, config: { base_url: url } },
];

function trustedBy({ trustedReceived }: Border, { security }: Pick<Present, 'security'>): readonly SettingChange[] {
  if (trustedReceived.length === 0) return [];
  const auth = jsonObject.safeParse(security?.gateway_auth).data ?? null;
  const known = listIn(auth, 'trusted_received');
  return [
    change('configs/security.json', ['gateway_auth', 'trusted_received'], [...new Set([...known, ...trustedReceived])]),
  ];
}
