import { iso } from '../lib/clock.ts';
import type { AuditRecord } from '../storage/types/approvals.ts';
import { askedKind } from '../suspensions/kinds.ts';
import { type About, withAbout } from './about.ts';
import { listAcross, type Page } from './list-across.ts';
import type { QueryPorts } from './ports.ts';

export interface AuditShape extends Omit<AuditRecord, 'at'>, About {
  /** It is about a question that an owner answers in words. */
  readonly asksWords: boolean;
  readonly persona: string;
  readonly at: string;
}

export async function listAudit(
  ports: QueryPorts,
  page: Page,
): Promise<{ readonly audit: readonly AuditShape[]; readonly next: string | null }> {
  const { rows, next } = await listAcross(ports, page, {
    of: ({ newest }) => newest.audit,
    async read(store, wanted) {
      const found = await store.listAudit(wanted);
      const ids = new Set(found.flatMap(({ approval_id: id }) => (id === null ? [] : [id])));
      const questions = new Set<string>();
      for (const id of ids) {
        const asked = await store.getApproval(id);
        if (asked && askedKind(asked).answeredBy === 'words') questions.add(id);
      }
      const marked = found.map((row) => ({ ...row, asksWords: questions.has(row.approval_id ?? '') }));
      return withAbout(store, marked, ({ run_id: run }) => run ?? '');
    },
  });
  const audit = rows.map(({ persona, row }) => ({
    id: row.id,
    persona,
    at: iso(row.at),
    actor: row.actor,
    event: row.event,
    run_id: row.run_id,
    approval_id: row.approval_id,
    tool: row.tool,
    decision: row.decision,
    detail: row.detail,
    asksWords: row.asksWords,
    ...row.about,
  }));
  return { audit, next };
}
