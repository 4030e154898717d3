/** What can be done to the world, in one word each. */
export type Act = 'send' | 'delete' | 'store' | 'schedule';

/**
 * Verbs by what they do, in the languages people write to us in: as one asks for it (`ask`, the first word of a
 * request, or the last one where verbs come last), and as one says that it was done (`did`, the whole clause).
 * A wrong reading costs a person more than a missed one, so only forms that can hardly mean anything else stand here.
 */
export const ASKED: Readonly<Record<Act, string>> = {
  send: `send|email(?= \\S+@)|forward|notify|sende|senden|schick|schicke|schicken|verschicke|verschicken|maile|mailen|
    benachrichtige|benachrichtigen|weiterleiten|envoie|envoyez|envoyer|transfère|transférez|transférer|envía|envíe|
    enviar|reenvía|reenvíe|reenviar|manda|mande|invia|invii|inviare|inoltra|inoltrare|envie|encaminhe|encaminhar|
    stuur|sturen|verstuur|wyślij|wysłać|prześlij|skicka|vidarebefordra|videresend|отправь|отправьте|отправить|
    перешли|перешлите|送信して|送って|转发|发送|보내|전송`,
  delete: `delete|remove|erase|trash|lösche|löschen|entferne|entfernen|supprime|supprimez|supprimer|efface|effacez|
    effacer|elimina|elimine|eliminar|borra|borre|borrar|cancella|cancellare|eliminare|apague|apagar|exclua|excluir|
    verwijder|verwijderen|wis|usuń|usunąć|radera|ta bort|slet|slett|slette|удали|удалите|удалить|削除して|删除|삭제`,
  store: `save|store|write|update|edit|change|replace|rename|append|add|create|speichere|speichern|schreibe|schreib|
    aktualisiere|aktualisieren|ändere|ändern|ersetze|ersetzen|lege|ergänze|ergänzen|enregistre|enregistrez|enregistrer|
    modifie|modifiez|modifier|remplace|remplacez|remplacer|ajoute|ajoutez|ajouter|guarda|guarde|guardar|actualiza|
    actualice|actualizar|cambia|cambie|cambiar|añade|añadir|salva|salvare|aggiorna|aggiornare|modifica|modificare|
    aggiungi|salve|salvar|atualize|atualizar|altere|alterar|sla|opslaan|bewaar|wijzig|wijzigen|zapisz|zmień|
    zaktualizuj|dodaj|spara|uppdatera|ändra|gem|lagre|opdater|oppdater|сохрани|сохраните|обнови|обновите|измени|
    измените|добавь|добавьте|保存して|更新して|変更して|保存|更新|修改|저장|수정`,
  schedule: `remind me|schedule|erinnere mich|erinnern sie mich|rappelle-moi|rappelez-moi|recuérdame|recuérdeme|
    ricordami|lembre-me|me lembre|herinner me|herinner mij|przypomnij mi|påminn mig|mind mig om|minn meg på|напомни мне|
    напомните мне|リマインドして|提醒|알려`,
};

const EN = "i(?:'ve| have)?(?: (?:now|just|already|also|then|successfully|gone ahead and))*";
// No comma in between: in "ich habe gesehen, dass Carl die Datei gelöscht hat" it was Carl.
const DE = '(?:ich habe|habe ich|ich hab|hab ich)(?: [^ .;,]+){0,14}?';
const FR = "j'ai(?: (?:bien|déjà|donc|aussi|également|ensuite))*";
const ES = '(?:ya )?he(?: ya)?';
const IT = 'ho(?: (?:già|appena|anche|quindi))*';
const NL = '(?:ik heb|heb ik)(?: [^ .;,]+){0,14}?';
const SV = '(?:jag har|har jag)(?: [^ .;]+){0,2}?';
const DA = '(?:jeg har|har jeg)(?: [^ .;]+){0,2}?';
const RU = 'я(?: (?:уже|только что|также))?';
// Whoever it is given to has none of the other words in the name: two ways to read each of them would double the time.
const ZH = '我(?:已经|已|刚|也|为您|帮您|给[^我给也已刚为帮把]{1,12}){0,8}(?:把[^我把]{1,30})?';

export const DID: Readonly<Record<Act, string>> = {
  send: `${EN} (?:sent|emailed|e-mailed|mailed|forwarded|notified)|${DE} (?:gesendet|geschickt|verschickt|versandt|
    abgeschickt|weitergeleitet|benachrichtigt)|${FR} (?:envoyé|transféré|expédié|prévenu)|${ES} (?:enviado|reenviado|
    mandado)|envié|reenvié|mandé|${IT} (?:inviato|inoltrato|spedito|mandato)|enviei|encaminhei|mandei|${NL} (?:verzonden|
    gestuurd|verstuurd|doorgestuurd|gemaild)|wysłałem|wysłałam|przesłałem|przesłałam|${SV} (?:skickat|vidarebefordrat|
    mejlat)|${DA} (?:sendt|videresendt)|${RU} (?:отправил|отправила|переслал|переслала|уведомил|уведомила)|
    ${ZH}(?:发送了|发送给了|已发送|转发了|已转发)|メールを送(?:り|信し)ました|送信しました|転送しました|(?:보냈|전송했|전달했)습니다`,
  delete: `${EN} (?:deleted|removed|erased|trashed)|${DE} (?:gelöscht|entfernt)|${FR} (?:supprimé|effacé)|${ES} (?:
    eliminado|borrado)|eliminé|borré|${IT} (?:eliminato|cancellato|rimosso)|apaguei|excluí|eliminei|${NL} (?:verwijderd|
    gewist)|usunąłem|usunęłam|skasowałem|skasowałam|${SV} (?:raderat|tagit bort)|${DA} (?:slettet|fjernet)|${RU} (?:удалил|
    удалила)|${ZH}(?:删除了|删掉了|已删除)|削除しました|삭제했습니다`,
  store: `${EN} (?:saved|stored|updated|edited|changed|renamed|uploaded|appended)|${DE} (?:gespeichert|abgelegt|
    aktualisiert|geändert|umbenannt|hochgeladen|eingetragen)|${FR} (?:enregistré|sauvegardé|mis à jour|modifié|
    renommé)|${ES} (?:guardado|actualizado|modificado|cambiado)|guardé|actualicé|modifiqué|${IT} (?:salvato|aggiornato|
    modificato|rinominato)|salvei|guardei|atualizei|alterei|${NL} (?:opgeslagen|bewaard|bijgewerkt|gewijzigd)|zapisałem|
    zapisałam|zaktualizowałem|zaktualizowałam|zmieniłem|zmieniłam|${SV} (?:sparat|uppdaterat|ändrat)|${DA} (?:gemt|lagret|
    opdateret|oppdatert|ændret|endret)|${RU} (?:сохранил|сохранила|обновил|обновила|изменил|изменила)|
    ${ZH}(?:保存了|已保存|更新了|已更新|修改了|已修改)|保存しました|更新しました|変更しました|(?:저장|업데이트|수정|변경)했습니다`,
  schedule: `${EN} (?:scheduled|set (?:up )?(?:a|the|your) (?:daily |weekly |monthly )?(?:reminder|task|schedule))|${DE} (?:
    eingeplant|terminiert)|${FR} (?:planifié|programmé)|${ES} (?:programado|agendado)|programé|agendé|${IT} (?:programmato|
    pianificato)|agendei|programei|${NL} (?:ingepland)|zaplanowałem|zaplanowałam|${SV} (?:schemalagt)|${DA} (?:planlagt)|
    ${RU} (?:запланировал|запланировала)|${ZH}(?:安排了|设置了提醒)|リマインダーを設定しました|예약했습니다`,
};

/** Done, as one says it who was asked for just that; only heard where the mail asks for an act. */
export const DONE = `(?:all )?done|erledigt|c'est fait|fait|hecho|listo|fatto|feito|pronto|gedaan|klaar|gotowe|zrobione|klart|
  udført|utført|готово|сделано|完了しました|完成了|已完成|完了|완료했습니다|완료되었습니다`;

/** That something went wrong, was not done or waits: an answer that says so hides nothing. */
export const ADMITS = `not|n't|nothing|none|never|without success|nichts|rien|nada|niente|nulla|niets|nic|inget|ingenting|intet|mitään|ничего|
  cannot|can't|couldn't|didn't|won't|unable|failed|fails|failure|error|errors|unfortunately|
  impossible|refused|denied|rejected|unknown|unclear|unsure|waits|waiting|pending|approval|nicht|kein|keine|keinen|leider|
  fehlgeschlagen|fehler|konnte|wartet|genehmigung|freigabe|pas|aucun|aucune|impossible|échec|échoué|erreur|attend|attente|
  no|ningún|fallo|falló|error|espera|pendiente|non|nessun|nessuna|errore|fallito|attesa|não|nenhum|erro|falhou|aguarda|
  niet|geen|mislukt|fout|wacht|nie|błąd|błędu|niestety|czeka|inte|ingen|inget|fel|misslyckades|väntar|ikke|fejl|feil|
  mislykkedes|venter|ei|en|virhe|odottaa|не|нет|ошибка|ошибки|ждёт|ждет|değil|hata|başarısız|yok`;
/** The same where words are not set apart by spaces. */
export const ADMITS_INSIDE =
  /n't |ません|できな|なかった|失敗|エラー|承認待ち|没有|没能|无法|不能|未能|失败|错误|等待|못|않|실패|오류|대기|لم |لا |فشل|خطأ/u;
