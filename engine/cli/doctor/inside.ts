import { statSync } from 'node:fs';
import { join } from 'node:path';
import { problemsIn } from '../../config/live/personas.ts';
import type { Workspace } from '../../workspace.ts';
import { defaultProvider, targetOf } from '../provider-in-use.ts';
import { budgetChecks } from './budgets.ts';
import { bad, type Check, fine } from './check.ts';
import { wrong } from './files.ts';

/** What the workspace itself says, with its extensions loaded. */
export async function insideChecks(workspace: Workspace): Promise<Check[]> {
  const { problems } = await workspace.extensions();
  const personas = workspace.live.personas();
  return [
    ...(personas.size === 0
      ? [bad('personas', 'there is no persona', 'make one with `epistle persona create <id>`')]
      : wrong('personas', problemsIn(personas), `${personas.size} can take mail`)),
    ...wrong('extensions', problems, 'all that are on are loaded'),
    ownersCheck(workspace),
    ...secretChecks(workspace),
    ...providerChecks(workspace),
    ...toolChecks(workspace),
    ...budgetChecks(workspace),
    clockCheck(workspace),
  ];
}

function ownersCheck({ live }: Workspace): Check {
  const { owners } = live.current().security;
  if (owners.length > 0) return fine('owners', owners.join(', '));
  return bad(
    'owners',
    'nobody owns the personas, so nobody can approve anything',
    'set owners in configs/security.json',
  );
}

function secretChecks({ live, environment }: Workspace): Check[] {
  const wanted = live
    .current()
    .gateway.mailboxes.flatMap(({ imap, smtp }) =>
      [imap, smtp].flatMap((side) => (side && side.auth !== 'none' ? [side.secret_env] : [])),
    );
  const missing = [...new Set(wanted)].filter((name) => environment.secretOf(name) === undefined);
  if (missing.length > 0) {
    return missing.map((name) => bad('secrets', `${name} is not set`, `put ${name}=… into .env or the environment`));
  }
  return [fine('secrets', wanted.length === 0 ? 'no mailbox needs one' : 'those of the mailboxes are set')];
}

/** Every provider that some persona would use, with its key. */
function providerChecks(workspace: Workspace): Check[] {
  const { providers } = workspace.currentExtensions();
  const used = new Map<string, string[]>([[defaultProvider(workspace), []]]);
  for (const entry of workspace.live.personas().all()) {
    if (entry.state !== 'ready') continue;
    const { provider } = targetOf(workspace, entry.persona);
    used.set(provider, [...(used.get(provider) ?? []), entry.id]);
  }
  return [...used].map(([name, ids]) => {
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

/** Tools that policy lets through and that cannot work here; those that are off are nobody's trouble. */
function toolChecks(workspace: Workspace): Check[] {
  const { tools } = workspace.live.current().security.tool_policy;
  return workspace
    .currentExtensions()
    .tools.all()
    .filter(({ name }) => tools[name] !== 'deny')
    .flatMap((tool) => {
      const why = tool.ready();
      const cure = `mend it, or set tool_policy.tools.${tool.name} to deny in configs/security.json`;
      return why === null ? [] : [bad(`tool:${tool.name}`, why, cure)];
    });
}

const TOLERATED_MS = 60_000;

/** A clock that went back breaks leases, schedules and the order of ids. File times and Date are one clock. */
function clockCheck({ dataDir }: Workspace): Check {
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
  return fine('clock', new Date().toISOString());
}
