import { openedSections } from './citations.ts';
import type { Evidence } from './evidence.ts';

/**
 * Results that carry the hash of their source (of its text in UTF-8) and whose source says something
 * else by now: a newer result of the run has another hash, or the file has. By call id; of a result that holds sections
 * of files, by the ids of the sections, since a call may open several files.
 */
export async function driftedSources(
  evidence: readonly Evidence[],
  /** Of a file of the persona; null when there is none. */
  hashOf: (path: string) => Promise<string | null>,
): Promise<ReadonlySet<string>> {
  const drifted = new Set(writtenSince(evidence));
  const latest = new Map<string, string>();
  for (const item of evidence.toReversed()) {
    const { hash: read } = item.facts;
    if (!item.ok || read === null) continue;
    const { sha256: hash, path } = read;
    const known = latest.get(item.source) ?? (path === null ? null : await hashOf(path)) ?? hash;
    latest.set(item.source, known);
    if (known !== hash) drifted.add(item.id);
  }
  const now = new Map<string, string | null>();
  for (const { id, path, sha256 } of openedSections(evidence)) {
    const known = now.has(path) ? now.get(path) : await hashOf(path);
    now.set(path, known ?? null);
    if ((known ?? sha256) !== sha256) drifted.add(id);
  }
  return drifted;
}

/** What was read of a file before a call of the same run changed it. */
function writtenSince(evidence: readonly Evidence[]): readonly string[] {
  const changes = evidence.flatMap((item, at) =>
    item.ok && item.risk !== 'read' ? [{ source: item.source, at }] : [],
  );
  return evidence.flatMap(({ id, risk, source }, at) =>
    risk === 'read' && changes.some((change) => change.at > at && change.source === source) ? [id] : [],
  );
}
