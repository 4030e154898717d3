import type { Wording } from '../language.ts';

/** The mail that answers an invitation; `title` is the subject of the meeting. */
export interface InvitationAnswerWords {
  readonly subject: Readonly<Record<'accepted' | 'declined' | 'tentative', (title: string) => string>>;
  /** `who` is the persona, or the person it answers for. */
  readonly body: Readonly<Record<'accepted' | 'declined' | 'tentative', (who: string) => string>>;
  /** Heading of the box that describes the meeting. */
  readonly meeting: string;
}

/** To whoever sent an invitation. */
export const INVITATION_ANSWERS: Wording<InvitationAnswerWords> = {
  en: {
    subject: {
      accepted: (title) => `Accepted: ${title}`,
      declined: (title) => `Declined: ${title}`,
      tentative: (title) => `Tentative: ${title}`,
    },
    body: {
      accepted: (who) => `${who} has accepted the invitation.`,
      declined: (who) => `${who} has declined the invitation.`,
      tentative: (who) => `${who} has tentatively accepted the invitation.`,
    },
    meeting: 'Meeting',
  },
  de: {
    subject: {
      accepted: (title) => `Zugesagt: ${title}`,
      declined: (title) => `Abgesagt: ${title}`,
      tentative: (title) => `Mit Vorbehalt: ${title}`,
    },
    body: {
      accepted: (who) => `${who} hat die Einladung angenommen.`,
      declined: (who) => `${who} hat die Einladung abgelehnt.`,
      tentative: (who) => `${who} hat die Einladung mit Vorbehalt angenommen.`,
    },
    meeting: 'Termin',
  },
  fr: {
    subject: {
      accepted: (title) => `Accepté : ${title}`,
      declined: (title) => `Refusé : ${title}`,
      tentative: (title) => `Provisoire : ${title}`,
    },
    body: {
      accepted: (who) => `${who} a accepté l’invitation.`,
      declined: (who) => `${who} a refusé l’invitation.`,
      tentative: (who) => `${who} a accepté l’invitation provisoirement.`,
    },
    meeting: 'Réunion',
  },
  es: {
    subject: {
      accepted: (title) => `Aceptada: ${title}`,
      declined: (title) => `Rechazada: ${title}`,
      tentative: (title) => `Provisional: ${title}`,
    },
    body: {
      accepted: (who) => `${who} ha aceptado la invitación.`,
      declined: (who) => `${who} ha rechazado la invitación.`,
      tentative: (who) => `${who} ha aceptado la invitación provisionalmente.`,
    },
    meeting: 'Reunión',
  },
  it: {
    subject: {
      accepted: (title) => `Accettato: ${title}`,
      declined: (title) => `Rifiutato: ${title}`,
      tentative: (title) => `Provvisorio: ${title}`,
    },
    body: {
      accepted: (who) => `${who} ha accettato l’invito.`,
      declined: (who) => `${who} ha rifiutato l’invito.`,
      tentative: (who) => `${who} ha accettato l’invito con riserva.`,
    },
    meeting: 'Riunione',
  },
  nl: {
    subject: {
      accepted: (title) => `Geaccepteerd: ${title}`,
      declined: (title) => `Afgewezen: ${title}`,
      tentative: (title) => `Voorlopig: ${title}`,
    },
    body: {
      accepted: (who) => `${who} heeft de uitnodiging geaccepteerd.`,
      declined: (who) => `${who} heeft de uitnodiging afgewezen.`,
      tentative: (who) => `${who} heeft de uitnodiging voorlopig geaccepteerd.`,
    },
    meeting: 'Afspraak',
  },
  pt: {
    subject: {
      accepted: (title) => `Aceito: ${title}`,
      declined: (title) => `Recusado: ${title}`,
      tentative: (title) => `Provisório: ${title}`,
    },
    body: {
      accepted: (who) => `${who} aceitou o convite.`,
      declined: (who) => `${who} recusou o convite.`,
      tentative: (who) => `${who} aceitou o convite provisoriamente.`,
    },
    meeting: 'Reunião',
  },
  pl: {
    subject: {
      accepted: (title) => `Zaakceptowano: ${title}`,
      declined: (title) => `Odrzucono: ${title}`,
      tentative: (title) => `Wstępnie: ${title}`,
    },
    body: {
      accepted: (who) => `Zaproszenie przyjęte: ${who}.`,
      declined: (who) => `Zaproszenie odrzucone: ${who}.`,
      tentative: (who) => `Zaproszenie przyjęte wstępnie: ${who}.`,
    },
    meeting: 'Spotkanie',
  },
  ja: {
    subject: {
      accepted: (title) => `承諾: ${title}`,
      declined: (title) => `辞退: ${title}`,
      tentative: (title) => `仮承諾: ${title}`,
    },
    body: {
      accepted: (who) => `${who} は招待を承諾しました。`,
      declined: (who) => `${who} は招待を辞退しました。`,
      tentative: (who) => `${who} は招待を仮承諾しました。`,
    },
    meeting: '予定',
  },
  zh: {
    subject: {
      accepted: (title) => `已接受：${title}`,
      declined: (title) => `已拒绝：${title}`,
      tentative: (title) => `暂定：${title}`,
    },
    body: {
      accepted: (who) => `${who} 已接受邀请。`,
      declined: (who) => `${who} 已拒绝邀请。`,
      tentative: (who) => `${who} 已暂时接受邀请。`,
    },
    meeting: '会议',
  },
};
