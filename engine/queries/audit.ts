import { iso } from '../lib/clock.ts';
import type { AuditRecord } from '../storage/types/approvals.ts';
import type { GatewayAudit } from '../storage/types/gateway.ts';
import { askedKind } from '../suspensions/kinds.ts';
import { type About, withAbout } from './about.ts';
import { listAcross, type Page } from './list-across.ts';
import type { QueryPorts } from './ports.ts';

export interface AuditShape extends Omit<AuditRecord, 'at'>, About {
  /** It is about a question that an owner answers in words. */
  readonly asksWords: boolean;
  /** Null: it belongs to none, such as who came into the console. */
  readonly persona: string | null;
  readonly at: string;
}

interface AuditPage {
  readonly audit: readonly AuditShape[];
  readonly next: string | null;
}

/** What was refused, asked, decided and done, of all personas and of the gateway itself, or of one persona. */
export async function listAudit(ports: QueryPorts, page: Page): Promise<AuditPage> {
  const ofPersonas = await listOfPersonas(ports, page);
  if (page.persona !== undefined) return ofPersonas;
  const { limit, after } = page;
  const own = await listGatewayAudit(ports, { after, limit });
  const all = [...ofPersonas.audit, ...own.audit].sort((a, b) => (a.id < b.id ? 1 : -1));
  const audit = all.slice(0, limit);
  const isMore = all.length > limit || ofPersonas.next !== null || own.next !== null;
  return { audit, next: isMore ? (audit.at(-1)?.id ?? null) : null };
}

/** The same of what belongs to no persona. */
export async function listGatewayAudit(
  { gateway }: Pick<QueryPorts, 'gateway'>,
  { limit, after }: Pick<Page, 'limit' | 'after'>,
): Promise<AuditPage> {
  const found = (await gateway.listGatewayAudit({ after, limit: limit + 1 })).map(ofGateway);
  return { audit: found.slice(0, limit), next: found.length > limit ? (found[limit - 1]?.id ?? null) : null };
}

/** `from`: whose session it is, or from where somebody tried. */
const ofGateway = ({ at, detail, ...row }: GatewayAudit): AuditShape => ({
  ...row,
  at: iso(at),
  persona: null,
  run_id: null,
  approval_id: null,
  tool: null,
  detail,
  asksWords: false,
  from: detail.address ?? (typeof detail.peer === 'string' ? detail.peer : null),
  subject: null,
});

async function listOfPersonas(ports: QueryPorts, page: Page): Promise<AuditPage> {
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
