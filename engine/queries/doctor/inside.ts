import { statSync } from 'node:fs';
import { join } from 'node:path';
import { problemsIn } from '../../config/live/personas.ts';
import { LOCK_FILE } from '../../extensions/pins/lock-file.ts';
import { minuteHere } from '../../lib/schedule/zone.ts';
import { listExtensions, unfitTools, unsetSecrets } from '../gateway/extensions.ts';
import type { QueryPorts } from '../ports.ts';
import { budgetChecks } from './budgets.ts';
import { bad, type Check, fine, warn } from './check.ts';
import { wrong } from './files.ts';
import { loginChecks } from './logins.ts';
import { usedProviders } from './model-servers.ts';
import { personaChecks } from './personas.ts';
import { modelChecks } from './prices.ts';
import { refiningChecks } from './refining.ts';
import { waitingChecks } from './waiting-mail.ts';
import { wayInChecks } from './way-in.ts';

/** What the workspace itself says, with its extensions loaded. */
export async function insideChecks(ports: QueryPorts): Promise<Check[]> {
  await ports.extensions();
  await ports.prepareTools(null);
  const { problems } = ports.currentExtensions();
  const personas = ports.live.personas();
  return [
    ...(personas.size === 0
      ? [bad('personas', 'there is no persona', 'make one with `epistle persona create <id>`')]
      : wrong('personas', problemsIn(personas), `${personas.size} can take mail`)),
    ...wrong('extensions', problems, 'all that are on are loaded'),
    ...(await failedChecks(ports)),
    ownersCheck(ports),
    ...secretChecks(ports),
    ...loginChecks(ports),
    ...providerChecks(ports),
    ...fittingChecks(ports),
    ...toolChecks(ports),
    ...allowedChecks(ports),
    ...extensionSecretChecks(ports),
    ...budgetChecks(ports),
    ...(await modelChecks(ports)),
    ...(await waitingChecks(ports)),
    ...refiningChecks(ports),
    ...personaChecks(ports),
    ...(await wayInChecks(ports)),
    clockCheck(ports),
  ];
}

/** What the running gateway has switched off while it worked. */
const failedChecks = async (ports: QueryPorts): Promise<Check[]> =>
  (await listExtensions(ports)).flatMap(({ kind, name, error }) =>
    error?.code === 'extension_failed' && kind !== 'mcp'
      ? [bad('extensions', `${kind} ${name} is switched off: ${error.message}`, `mend ${error.file}, or take it out`)]
      : [],
  );

function ownersCheck({ live }: QueryPorts): Check {
  const { owners } = live.current().security;
  if (owners.length > 0) return fine('owners', owners.join(', '));
  return bad(
    'owners',
    'nobody owns the personas, so nobody can approve anything',
    'set owners in configs/security.json',
  );
}

function secretChecks({ live, environment }: QueryPorts): Check[] {
  const wanted = live
    .current()
    .gateway.mailboxes.flatMap(({ imap, smtp, oauth }) => [
      ...[imap, smtp].flatMap((side) =>
        side && (side.auth === 'password' || side.auth === 'xoauth2') ? [side.secret_env] : [],
      ),
      ...(oauth && oauth.client_secret_env !== null ? [oauth.client_secret_env] : []),
    ]);
  const missing = [...new Set(wanted)].filter((name) => environment.secretOf(name) === undefined);
  if (missing.length > 0) {
    return missing.map((name) => bad('secrets', `${name} is not set`, `put ${name}=… into .env or the environment`));
  }
  return [fine('secrets', wanted.length === 0 ? 'no mailbox needs one' : 'those of the mailboxes are set')];
}

/** Each provider that is used, with its key. */
function providerChecks(ports: QueryPorts): Check[] {
  const { providers } = ports.currentExtensions();
  return [...usedProviders(ports)].map(([name, ids]) => {
    const check = `provider:${name}`;
    const provider = providers.get(name);
    const who = ids.length === 0 ? 'nobody now' : ids.length > 5 ? `${ids.length} personas` : ids.join(', ');
    if (!provider)
      return bad(check, `no provider is named ${name}`, 'see `epistle providers list`, and mend inference.provider');
    const missing = provider.missingSecrets();
    if (missing.length > 0) {
      return bad(check, `${missing.join(', ')} is not set (used by ${who})`, `put ${missing[0]}=… into .env`);
    }
    if (name === 'offline')
      return fine(check, `used by ${who}; it calls no model, set a key such as ANTHROPIC_API_KEY for one`);
    return fine(check, `its key is set (used by ${who})`);
  });
}

/** Tools that a vendor in use does not take as they are declared: mail is answered, and somebody should know. */
const fittingChecks = (ports: QueryPorts): Check[] =>
  [...Map.groupBy(unfitTools(ports), ({ provider }) => provider)].map(([provider, all]) => {
    const out = all.filter(({ left_out: isOut }) => isOut);
    const shown = (out.length > 0 ? out : all).slice(0, SHOWN).map(({ tool }) => tool);
    const more = (out.length > 0 ? out : all).length - shown.length;
    const names = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    const check = `fits:${provider}`;
    return out.length > 0
      ? warn(check, `its models are not given ${names}: ${out[0]?.reason}`)
      : fine(check, `described more simply for its models than they are: ${names}`);
  });

/** Tools that policy lets through and that cannot work here; those that are off are nobody's trouble. */
function toolChecks(ports: QueryPorts): Check[] {
  const { tools } = ports.live.current().security.tool_policy;
  return ports
    .currentExtensions()
    .tools.all()
    .filter(({ name, away }) => tools[name] !== 'deny' && away === undefined)
    .flatMap((tool) => {
      const why = tool.ready();
      const cure = `mend it, or set tool_policy.tools.${tool.name} to deny in configs/security.json`;
      return why === null ? [] : [bad(`tool:${tool.name}`, why, cure)];
    });
}

const SHOWN = 5;

/** Servers of which an owner has not allowed all that they show. */
function allowedChecks(ports: QueryPorts): Check[] {
  const { tools } = ports.live.current().security.tool_policy;
  const loaded = ports.currentExtensions();
  const away = loaded.tools
    .all()
    .flatMap(({ name, away: is }) => (is && tools[name] !== 'deny' ? [{ name, ...is }] : []));
  return [...Map.groupBy(away, ({ server }) => server)].map(([server, all]) => {
    const broken = all.some(({ why }) => why === 'lock')
      ? loaded.all.find(({ kind, name }) => kind === 'mcp' && name === server)?.error?.message
      : undefined;
    if (broken !== undefined) return bad(`mcp:${server}`, broken, `mend ${LOCK_FILE}`);
    const named = all.slice(0, SHOWN).map(({ name, why }) => `${name} (${why})`);
    const more = all.length > SHOWN ? [`${all.length - SHOWN} more`] : [];
    return bad(
      `mcp:${server}`,
      `tools that are not used until an owner has allowed them as they are: ${[...named, ...more].join(', ')}`,
      `\`epistle extensions check ${server}\` shows what has changed, \`epistle extensions allow ${server}\` allows it`,
    );
  });
}

/**
 * Of the workspace's own tools that policy lets through, hooks and resolvers; a provider is asked where it is used. Only
 * the code of each knows whether it can do without.
 */
function extensionSecretChecks(ports: QueryPorts): Check[] {
  const { tools } = ports.live.current().security.tool_policy;
  const loaded = ports.currentExtensions();
  return loaded.all
    .filter(({ kind, state, source }) => kind !== 'provider' && state === 'loaded' && source !== 'bundled')
    .filter(({ kind, name }) => kind !== 'tool' || tools[name] !== 'deny')
    .flatMap(({ kind, name }) =>
      unsetSecrets(loaded, kind, name).map((secret) => ({
        ...warn(`${kind}:${name}`, `${secret} is not set`),
        cure: `put ${secret}=… into .env or the environment`,
      })),
    );
}

const TOLERATED_MS = 60_000;

/** A clock that went back breaks leases, schedules and the order of ids. File times and Date are one clock. */
function clockCheck({ dataDir }: QueryPorts): Check {
  const written = ['gateway.db', 'gateway.db-wal'].map(
    (name) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const behind = Math.max(...written) - Date.now();
  if (behind > TOLERATED_MS) {
    return bad(
      'clock',
      `the clock is ${Math.round(behind / 1000)} s behind the newest data`,
      'set the clock, best by NTP',
    );
  }
  return fine('clock', minuteHere(Date.now()));
}
