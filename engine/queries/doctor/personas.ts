import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Persona } from '../../config/types.ts';
import type { Extensions } from '../../extensions/types.ts';
import { nearestOf } from '../../lib/text/nearest.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check, fine } from './check.ts';
import { wrong } from './files.ts';

/** What the persona's own files grant and plan, and what lies in `data/` of personas that are gone. */
export function personaChecks(ports: QueryPorts): Check[] {
  const entries = [...ports.live.personas().all()];
  const ready = entries.flatMap((one) => (one.state === 'ready' ? [one.persona] : []));
  return [
    ...grantChecks(ports.currentExtensions(), ready),
    ...wrong(
      'tasks',
      entries.flatMap(({ id }) => ports.live.tasksOf(id)).flatMap(({ problems }) => problems),
      'all task files are fine',
    ),
    ...memoryChecks(ready),
    ...orphanChecks(
      ports.dataDir,
      entries.map(({ id }) => id),
    ),
  ];
}

/** Whoever says "remember that" to a persona without memory is answered, and it is forgotten all the same. Pure. */
export function memoryChecks(personas: readonly Pick<Persona, 'id' | 'memory'>[]): Check[] {
  const off = personas.filter(({ memory }) => !memory.facts).map(({ id }) => id);
  return off.length === 0 ? [] : [fine('memory', memoryOffInWords(off))];
}

/** Of personas whose memory is switched off: that they keep nothing, and how to have it otherwise. */
export const memoryOffInWords = (ids: readonly string[]): string =>
  `${ids.length > 5 ? `${ids.length} personas` : ids.join(', ')}: what people ask to remember is not kept, since memory is off; \`epistle config set persona/${ids.length === 1 ? ids[0] : 'ID'} memory.facts true\` switches it on`;

/** Tools by name that no extension has. Pure. */
export function grantChecks(
  { tools, all }: Pick<Extensions, 'tools' | 'all'>,
  personas: readonly Pick<Persona, 'id' | 'tools' | 'access'>[],
): Check[] {
  // A server that does not answer now may have the tool.
  if (all.some(({ kind, state }) => kind === 'mcp' && state !== 'disabled' && state !== 'loaded')) return [];
  const known = new Set([...tools.all(), ...all.filter(({ kind }) => kind === 'tool')].map(({ name }) => name));
  const unknown = personas.flatMap(({ id, tools: { allow, deny }, access }) =>
    Object.entries({ 'tools.allow': allow, 'tools.deny': deny, 'access.known.tools': access.known.tools }).flatMap(
      ([key, grants]) =>
        grants
          .filter((grant) => grant !== '*' && !grant.includes(':') && !known.has(grant))
          .map((grant) => ({ id, key, grant })),
    ),
  );
  if (unknown.length === 0) return [fine('grants', 'every tool that a persona names is there')];
  return unknown.map(({ id, key, grant }) => {
    const nearest = nearestOf(grant, known);
    return bad(
      `grants:${id}`,
      `${key} names ${grant}, and no tool has that name`,
      `${nearest === null ? 'take it out' : `change it to ${nearest}`} (${key} in personas/${id}/persona.json)`,
    );
  });
}

/** Mail, files and memory of a persona whose folder was renamed or removed. */
export function orphanChecks(dataDir: string, ids: readonly string[]): Check[] {
  const folder = join(dataDir, 'personas');
  const kept = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return kept
    .filter((entry) => entry.isDirectory() && !ids.includes(entry.name))
    .map(({ name }) =>
      bad(
        `orphaned:${name}`,
        `${join(folder, name)} holds the mail and memory of ${name}, and there is no persona of that name`,
        `give personas/${name}/ back; or move that folder to data/personas/<new id> while no gateway runs; or remove it`,
      ),
    );
}
