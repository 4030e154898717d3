import { iso } from '../lib/clock.ts';
import type { AuditRecord } from '../storage/types/approvals.ts';
import { type About, withAbout } from './about.ts';
import { listAcross, type Page } from './list-across.ts';
import type { QueryPorts } from './ports.ts';

interface AuditShape extends Omit<AuditRecord, 'at'>, About {
  readonly persona: string;
  readonly at: string;
}

export async function listAudit(
  ports: QueryPorts,
  page: Page,
): Promise<{ readonly audit: readonly AuditShape[]; readonly next: string | null }> {
  const { rows, next } = await listAcross(ports, page, {
    of: ({ newest }) => newest.audit,
    read: async (store, wanted) => withAbout(store, await store.listAudit(wanted), ({ run_id: run }) => run ?? ''),
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
    ...row.about,
  }));
  return { audit, next };
}
