import { iso } from '../../lib/clock.ts';
import { listAcross } from '../../queries/list-across.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { type ListOptions, listOptions, pageOf } from '../list-options.ts';
import { table } from '../text/table.ts';

export const auditCommand: Register = (program, act) => {
  listOptions(program.command('audit').description('Refusals, approvals and who decided them, newest first')).action(
    act(audit),
  );
};

async function audit(context: CommandContext, options: ListOptions): Promise<Outcome> {
  const { rows, next } = await listAcross(context.open(), pageOf(options), (store, page) => store.listAudit(page));
  const entries = rows.map(({ persona, row }) => ({
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
  }));
  return {
    data: { audit: entries, next },
    text: table(
      ['AT', 'PERSONA', 'ACTOR', 'EVENT', 'TOOL', 'DECISION'],
      entries.map((entry) => [
        entry.at.slice(0, 19),
        entry.persona,
        entry.actor,
        entry.event,
        entry.tool ?? '',
        entry.decision ?? '',
      ]),
      'Nothing was refused or asked for yet.',
    ),
  };
}
