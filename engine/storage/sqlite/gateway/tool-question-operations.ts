import type { Kysely } from 'kysely';
import type { NewToolQuestion, ToolQuestion, ToolsDecision } from '../../types/gateway.ts';
import type { Transact } from '../database/transactions.ts';
import type { GatewayTables } from './tables.ts';

const ABOUT = [
  ...(['notice_id', 'persona_id', 'server', 'offer_sha256', 'asked_at', 'until'] as const),
  ...(['verdict', 'decided_by', 'decided_at', 'answer_id'] as const),
] as const;

/** The part of the gateway's store that has to do with what owners were asked about tools of MCP servers. */
const questionOf = (db: Kysely<GatewayTables>, noticeId: string): Promise<ToolQuestion | undefined> =>
  db.selectFrom('tool_questions').selectAll().where('notice_id', '=', noticeId).executeTakeFirst();

export function toolQuestionOperations(db: Kysely<GatewayTables>, transact: Transact<GatewayTables>) {
  return {
    askAboutTools: (question: NewToolQuestion): Promise<void> =>
      transact(async (trx) => {
        await trx
          .insertInto('tool_questions')
          .values({ ...question, verdict: null, decided_by: null, decided_at: null, answer_id: null })
          .onConflict((conflict) => conflict.column('notice_id').doNothing())
          .execute();
      }),

    toolQuestion: (noticeId: string): Promise<ToolQuestion | undefined> => questionOf(db, noticeId),

    toolQuestionsAbout: (server: string): Promise<Omit<ToolQuestion, 'offer'>[]> =>
      db
        .selectFrom('tool_questions')
        .select(ABOUT)
        .where('server', '=', server)
        .orderBy('asked_at', 'desc')
        .limit(20)
        .execute(),

    decideTools: (noticeId: string, { verdict, by, at, answerId }: ToolsDecision): Promise<ToolQuestion | undefined> =>
      transact(async (trx) => {
        await trx
          .updateTable('tool_questions')
          .set({ verdict, decided_by: by, decided_at: at, answer_id: answerId })
          .where('notice_id', '=', noticeId)
          .where('verdict', 'is', null)
          .execute();
        return questionOf(trx, noticeId);
      }),

    missTools: (noticeId: string, answerId: string): Promise<void> =>
      transact(async (trx) => {
        await trx
          .updateTable('tool_questions')
          .set({ verdict: 'changed' })
          .where('notice_id', '=', noticeId)
          .where('answer_id', '=', answerId)
          .execute();
      }),

    pruneToolQuestions: (untilBefore: number): Promise<void> =>
      transact(async (trx) => {
        await trx.deleteFrom('tool_questions').where('until', '<', untilBefore).execute();
      }, 'normal'),
  };
}
