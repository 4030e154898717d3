import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#contract';
import { addressesOfOwners } from '../../../config/owners.ts';
import { personaFileOf } from '../../../config/persona-file.ts';
import type { MailboxConfig, Owner } from '../../../config/types.ts';
import type { Setting } from '../../../config/writing/settings.ts';
import { senderSettings } from '../../../config/writing/settings.ts';
import type { LearnedServer } from '../../trial/learn.ts';
import { type MailboxConnection, type SetupAnswers, secretNameOf } from './answers.ts';
import type { Present } from './present.ts';

const GATEWAY = 'configs/gateway.json';
const SECURITY = 'configs/security.json';
const INFERENCE = 'configs/inference.json';
const EXTENSIONS = 'extensions/extensions.json';

/** What `init` writes in the place of an owner and of a domain. */
export const PLACEHOLDER = 'you@agents.localhost';
const NO_DOMAIN = 'agents.localhost';

/** Pure. What a workspace is to say with these answers, the mailbox last; all else it says as before. */
export function settingsFor(answers: SetupAnswers, border: LearnedServer, present: Present): readonly Setting[] {
  const { owner, mailbox } = answers;
  const { domain } = present.configs.gateway;
  return [
    ...personaSettings(answers, present),
    ...modelSettings(answers.model, present),
    ...ownerSettings(owner, answers.persona.id, present),
    ...trustedBy(border, present),
    ...(domain === NO_DOMAIN
      ? [{ file: GATEWAY, path: ['domain'], to: mailbox.slice(mailbox.lastIndexOf('@') + 1) }]
      : []),
    // Any free port: another Epistle on this machine has the usual one.
    ...(present.isNew ? [{ file: GATEWAY, path: ['smtp_listener'], to: { host: '127.0.0.1', port: 0 } }] : []),
    ...mailboxSettings(answers, border),
    ...sendersBeside(answers, present),
  ];
}

/** By which the others send may not become a question of the order in which mailboxes stand. */
function sendersBeside(answers: SetupAnswers, { configs, personas }: Present): readonly Setting[] {
  const before = configs.gateway.mailboxes;
  const login = { user: answers.user };
  const after = [...before.filter(({ id }) => id !== answers.id), { id: answers.id, imap: login, smtp: login }];
  const others = personas.filter(({ id }) => id !== answers.persona.id);
  return answers.present === null ? senderSettings(others, { before, after }) : [];
}

/** Pure. One more mailbox beside those that there are. */
export const settingsOfMailbox = (
  connection: MailboxConnection,
  border: LearnedServer,
  present: Present,
): readonly Setting[] => [...trustedBy(border, present), ...mailboxSettings(connection, border)];

function mailboxSettings(connection: MailboxConnection, border: LearnedServer): readonly Setting[] {
  const { id, present } = connection;
  const path = ['mailboxes', id];
  if (present === null) return [{ file: GATEWAY, path, to: mailboxOf(connection, border) }];
  return (['imap', 'smtp'] as const)
    .flatMap((side) => sideSettings(side, connection, present))
    .concat(oauthSettings(connection, present), borderSettings(border, present))
    .map((one) => ({ file: GATEWAY, path: [...path, ...one.path], to: one.to }));
}

type Inside = Omit<Setting, 'file'>;

/** Only what is another one: what stands there by its default is not written. */
function sideSettings(side: 'imap' | 'smtp', connection: MailboxConnection, present: MailboxConfig): readonly Inside[] {
  const before = present[side];
  const { user, caFile, oauth } = connection;
  const to = { ...connection[side], user, tls_ca_file: caFile };
  if (before === undefined) return [{ path: [side], to: sideOf(connection, connection[side]) }];
  const changed = Object.entries(to).filter(([key, value]) => Reflect.get(before, key) !== value);
  const settings = changed.map(([key, value]): Inside => ({ path: [side, key], to: value ?? undefined }));
  if (oauth === null || before.auth === 'oauth') return settings;
  return [...settings, { path: [side, 'auth'], to: 'oauth' }, { path: [side, 'secret_env'], to: undefined }];
}

function oauthSettings({ oauth }: MailboxConnection, present: MailboxConfig): readonly Inside[] {
  if (oauth === null) return [];
  if (present.oauth === undefined) return [{ path: ['oauth'], to: { ...oauth } }];
  const before = present.oauth;
  return Object.entries(oauth).flatMap(([key, to]) =>
    Reflect.get(before, key) === to ? [] : [{ path: ['oauth', key], to }],
  );
}

const borderSettings = ({ authservId }: LearnedServer, { imap }: MailboxConfig): readonly Inside[] =>
  authservId === null || imap?.authserv_id?.toLowerCase() === authservId.toLowerCase()
    ? []
    : [{ path: ['imap', 'authserv_id'], to: authservId }];

const sideOf = ({ id, user, caFile, oauth }: MailboxConnection, server: MailboxConnection['imap']) => ({
  ...server,
  user,
  ...(oauth === null ? { secret_env: secretNameOf({ id }) } : { auth: 'oauth' }),
  ...(caFile === null ? {} : { tls_ca_file: caFile }),
});

function mailboxOf(connection: MailboxConnection, { authservId }: LearnedServer): Json {
  const { id, imap, smtp, filesSent, oauth } = connection;
  return {
    id,
    imap: { ...sideOf(connection, imap), ...(authservId === null ? {} : { authserv_id: authservId }) },
    smtp: sideOf(connection, smtp),
    ...(oauth === null ? {} : { oauth: { ...oauth } }),
    save_sent: !filesSent,
  };
}

/** The address of before stays as an alias: whoever answers an earlier mail writes to it. */
function personaSettings({ persona, budget }: SetupAnswers, { personas }: Present): readonly Setting[] {
  const { id, name, address, timezone, mailbox } = persona;
  const file = personaFileOf(id);
  const wanted = { name, address, timezone, ...(mailbox === null ? {} : { mailbox }) };
  const before = personas.find((one) => one.id === id)?.file;
  const changed = Object.entries(wanted).filter(([key, to]) => before === undefined || Reflect.get(before, key) !== to);
  const aliases = before ? [...new Set([...before.aliases, before.address])].filter((one) => one !== address) : [];
  return [
    ...changed.map(([key, to]) => ({ file, path: [key], to })),
    ...(before && before.address !== address ? [{ file, path: ['aliases'], to: aliases }] : []),
    ...(budget === undefined || budget === (before?.budget.usd_per_day ?? null)
      ? []
      : [{ file, path: ['budget', 'usd_per_day'], to: budget ?? undefined }]),
  ];
}

function modelSettings(
  { provider, model, url, price }: SetupAnswers['model'],
  { configs }: Present,
): readonly Setting[] {
  const { inference, extensions } = configs;
  const set = (key: string, to: string | undefined): Setting => ({ file: INFERENCE, path: [key], to });
  const isOther = provider !== null && provider !== inference.provider;
  const name = provider ?? 'openai';
  const listed = extensions.providers.find((one) => typeof one !== 'string' && one.name === name);
  return [
    ...(isOther ? [set('provider', provider)] : []),
    ...(model !== null && model !== inference.model ? [set('model', model)] : []),
    // The model of another provider is none of this one.
    ...(model === null && isOther && inference.model != null ? [set('model', undefined)] : []),
    ...(url === null ? [] : [{ file: EXTENSIONS, path: ['providers', name, 'config', 'base_url'], to: url }]),
    ...(price !== undefined && model !== null
      ? [{ file: INFERENCE, path: ['prices', `${provider ?? inference.provider ?? name}/${model}`], to: { ...price } }]
      : []),
    ...((url !== null || isOther) && typeof listed === 'object' && listed.enabled === false
      ? [{ file: EXTENSIONS, path: ['providers', name, 'enabled'], to: true }]
      : []),
  ];
}

/** Whoever sets up becomes an owner beside those that there are; nobody is put out by it. */
function ownerSettings(owner: string, persona: string, { configs, personas }: Present): readonly Setting[] {
  const own = personas.find(({ id }) => id === persona)?.file.owners;
  return [
    ...ownersIn({ file: SECURITY, owners: configs.security.owners }, owner),
    ...(own === undefined ? [] : ownersIn({ file: personaFileOf(persona), owners: own }, owner)),
  ];
}

function ownersIn({ file, owners }: { file: string; owners: readonly Owner[] }, owner: string): readonly Setting[] {
  const real = owners.filter((one) => one !== PLACEHOLDER);
  const isKnown = addressesOfOwners(real).some((one) => one.toLowerCase() === owner.toLowerCase());
  const to = isKnown ? real : [...real, owner];
  return isDeepStrictEqual(to, owners) ? [] : [{ file, path: ['owners'], to }];
}

function trustedBy({ trustedReceived }: LearnedServer, { configs }: Present): readonly Setting[] {
  const known = configs.security.gateway_auth.trusted_received;
  const to = [...new Set([...known, ...trustedReceived])];
  return to.length === known.length ? [] : [{ file: SECURITY, path: ['gateway_auth', 'trusted_received'], to }];
}
