import type { Wording } from '../language.ts';

interface MeetingKindWords {
  /** `title` is the subject of the meeting. */
  readonly subject: (title: string) => string;
  /** `who` is the persona. */
  readonly body: (who: string) => string;
}

/** The mail that invites to a meeting of the persona, changes it or cancels it. */
export interface MeetingWords {
  readonly invited: MeetingKindWords;
  readonly changed: MeetingKindWords;
  readonly cancelled: MeetingKindWords;
  /** Heading of the box that describes the meeting. */
  readonly meeting: string;
}

/** To those whom a persona invites. */
export const MEETINGS: Wording<MeetingWords> = {
  en: {
    invited: { subject: (title) => `Invitation: ${title}`, body: (who) => `${who} invites you to this meeting.` },
    changed: { subject: (title) => `Changed: ${title}`, body: (who) => `${who} has changed this meeting.` },
    cancelled: { subject: (title) => `Cancelled: ${title}`, body: (who) => `${who} has cancelled this meeting.` },
    meeting: 'Meeting',
  },
  de: {
    invited: { subject: (title) => `Einladung: ${title}`, body: (who) => `${who} lädt Sie zu diesem Termin ein.` },
    changed: { subject: (title) => `Geändert: ${title}`, body: (who) => `${who} hat diesen Termin geändert.` },
    cancelled: { subject: (title) => `Entfällt: ${title}`, body: (who) => `${who} hat diesen Termin abgesagt.` },
    meeting: 'Termin',
  },
  fr: {
    invited: { subject: (title) => `Invitation : ${title}`, body: (who) => `${who} vous invite à cette réunion.` },
    changed: { subject: (title) => `Modifiée : ${title}`, body: (who) => `${who} a modifié cette réunion.` },
    cancelled: { subject: (title) => `Annulée : ${title}`, body: (who) => `${who} a annulé cette réunion.` },
    meeting: 'Réunion',
  },
  es: {
    invited: { subject: (title) => `Invitación: ${title}`, body: (who) => `${who} le invita a esta reunión.` },
    changed: { subject: (title) => `Modificada: ${title}`, body: (who) => `${who} ha modificado esta reunión.` },
    cancelled: { subject: (title) => `Cancelada: ${title}`, body: (who) => `${who} ha cancelado esta reunión.` },
    meeting: 'Reunión',
  },
  it: {
    invited: { subject: (title) => `Invito: ${title}`, body: (who) => `${who} la invita a questa riunione.` },
    changed: { subject: (title) => `Modificata: ${title}`, body: (who) => `${who} ha modificato questa riunione.` },
    cancelled: { subject: (title) => `Annullata: ${title}`, body: (who) => `${who} ha annullato questa riunione.` },
    meeting: 'Riunione',
  },
  nl: {
    invited: { subject: (title) => `Uitnodiging: ${title}`, body: (who) => `${who} nodigt u uit voor deze afspraak.` },
    changed: { subject: (title) => `Gewijzigd: ${title}`, body: (who) => `${who} heeft deze afspraak gewijzigd.` },
    cancelled: {
      subject: (title) => `Geannuleerd: ${title}`,
      body: (who) => `${who} heeft deze afspraak geannuleerd.`,
    },
    meeting: 'Afspraak',
  },
  pt: {
    invited: { subject: (title) => `Convite: ${title}`, body: (who) => `${who} convida para esta reunião.` },
    changed: { subject: (title) => `Alterada: ${title}`, body: (who) => `${who} alterou esta reunião.` },
    cancelled: { subject: (title) => `Cancelada: ${title}`, body: (who) => `${who} cancelou esta reunião.` },
    meeting: 'Reunião',
  },
  pl: {
    invited: { subject: (title) => `Zaproszenie: ${title}`, body: (who) => `${who} zaprasza na to spotkanie.` },
    changed: { subject: (title) => `Zmiana: ${title}`, body: (who) => `Zmiana spotkania: ${who}.` },
    cancelled: { subject: (title) => `Odwołano: ${title}`, body: (who) => `Spotkanie odwołane: ${who}.` },
    meeting: 'Spotkanie',
  },
  ja: {
    invited: { subject: (title) => `招待: ${title}`, body: (who) => `${who} から予定への招待です。` },
    changed: { subject: (title) => `変更: ${title}`, body: (who) => `${who} がこの予定を変更しました。` },
    cancelled: { subject: (title) => `中止: ${title}`, body: (who) => `${who} がこの予定を中止しました。` },
    meeting: '予定',
  },
  zh: {
    invited: { subject: (title) => `邀请：${title}`, body: (who) => `${who} 邀请您参加此会议。` },
    changed: { subject: (title) => `变更：${title}`, body: (who) => `${who} 更改了此会议。` },
    cancelled: { subject: (title) => `取消：${title}`, body: (who) => `${who} 取消了此会议。` },
    meeting: '会议',
  },
};
