import type { Kysely } from 'kysely';
import type { NewSenderQuestion, SenderDecision, SenderQuestion } from '../../types/gateway.ts';
import type { Transact } from '../database/transactions.ts';
import type { GatewayTables } from './tables.ts';

/** The part of the gateway's store that has to do with what owners were asked about senders. */
export function senderQuestionOperations(db: Kysely<GatewayTables>, transact: Transact<GatewayTables>) {
  return {
    askAboutSenders: (questions: readonly NewSenderQuestion[]): Promise<void> =>
      transact(async (trx) => {
        const [first] = questions;
        if (!first) return;
        const asked = trx.selectFrom('sender_questions').select('number').where('notice_id', '=', first.notice_id);
        if ((await asked.executeTakeFirst()) !== undefined) return;
        const open = { verdict: null, decided_by: null, decided_at: null, answer_id: null };
        await trx
          .insertInto('sender_questions')
          .values(questions.map((one) => ({ ...one, ...open })))
          .execute();
      }),

    senderQuestions: (noticeId: string): Promise<SenderQuestion[]> =>
      db.selectFrom('sender_questions').selectAll().where('notice_id', '=', noticeId).orderBy('number').execute(),

    decideSender: (
      { notice_id, number }: Pick<SenderQuestion, 'notice_id' | 'number'>,
      { verdict, by, at, answerId }: SenderDecision,
    ): Promise<SenderQuestion | undefined> =>
      transact(async (trx) => {
        const found = trx
          .selectFrom('sender_questions')
          .selectAll()
          .where('notice_id', '=', notice_id)
          .where('number', '=', number);
        const question = await found.executeTakeFirst();
        // What was let in once is decided no further than that.
        const isOpen = question?.verdict === null || (question?.verdict === 'once' && verdict !== 'once');
        if (!question || !isOpen) return question;
        await trx
          .updateTable('sender_questions')
          .set({ verdict, decided_by: by, decided_at: at, answer_id: answerId })
          .where('persona_id', '=', question.persona_id)
          .where('sender', '=', question.sender)
          .where('code', '=', question.code)
          .where((row) =>
            row.or([row('verdict', 'is', null), ...(verdict === 'once' ? [] : [row('verdict', '=', 'once')])]),
          )
          .execute();
        return found.executeTakeFirst();
      }),

    reopenSender: (
      answerId: string,
      { persona_id, sender, code }: Pick<SenderQuestion, 'persona_id' | 'sender' | 'code'>,
    ): Promise<void> =>
      transact(async (trx) => {
        await trx
          .updateTable('sender_questions')
          .set({ verdict: null, decided_by: null, decided_at: null, answer_id: null })
          .where('persona_id', '=', persona_id)
          .where('sender', '=', sender)
          .where('code', '=', code)
          .where('answer_id', '=', answerId)
          .execute();
      }),

    pruneSenderQuestions: (untilBefore: number): Promise<void> =>
      transact(async (trx) => {
        await trx.deleteFrom('sender_questions').where('until', '<', untilBefore).execute();
      }, 'normal'),
  };
}
