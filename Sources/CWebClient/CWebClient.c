// Written by a test from the folder Sources/WebClient/site (HUDDLE_WRITE_PROTO=1); not edited by hand.
#include "CWebClient.h"
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file0[] = {
#embed "../WebClient/site/app.js"
};
static const unsigned char file1[] = {
#embed "../WebClient/site/crypto/sha256.js"
};
static const unsigned char file2[] = {
#embed "../WebClient/site/dates/calendar.js"
};
static const unsigned char file3[] = {
#embed "../WebClient/site/dates/zones.js"
};
static const unsigned char file4[] = {
#embed "../WebClient/site/documents/kept-files.js"
};
static const unsigned char file5[] = {
#embed "../WebClient/site/documents/uploads.js"
};
static const unsigned char file6[] = {
#embed "../WebClient/site/family/checksum.js"
};
static const unsigned char file7[] = {
#embed "../WebClient/site/family/itinerary.js"
};
static const unsigned char file8[] = {
#embed "../WebClient/site/family/kinds.js"
};
static const unsigned char file9[] = {
#embed "../WebClient/site/family/merge.js"
};
static const unsigned char file10[] = {
#embed "../WebClient/site/family/permission.js"
};
static const unsigned char file11[] = {
#embed "../WebClient/site/family/records.js"
};
static const unsigned char file12[] = {
#embed "../WebClient/site/family/reminder-rule.js"
};
static const unsigned char file13[] = {
#embed "../WebClient/site/family/rules.js"
};
static const unsigned char file14[] = {
#embed "../WebClient/site/family/sentences.js"
};
static const unsigned char file15[] = {
#embed "../WebClient/site/family/shift.js"
};
static const unsigned char file16[] = {
#embed "../WebClient/site/folding/folded.js"
};
static const unsigned char file17[] = {
#embed "../WebClient/site/folding/table.js"
};
static const unsigned char file18[] = {
#embed "../WebClient/site/icons/huddle.svg"
};
static const unsigned char file19[] = {
#embed "../WebClient/site/index.html"
};
static const unsigned char file20[] = {
#embed "../WebClient/site/manifest.webmanifest"
};
static const unsigned char file21[] = {
#embed "../WebClient/site/queries/declarations.js"
};
static const unsigned char file22[] = {
#embed "../WebClient/site/queries/keys.js"
};
static const unsigned char file23[] = {
#embed "../WebClient/site/queries/query.js"
};
static const unsigned char file24[] = {
#embed "../WebClient/site/queries/refusal.js"
};
static const unsigned char file25[] = {
#embed "../WebClient/site/queries/statistics.js"
};
static const unsigned char file26[] = {
#embed "../WebClient/site/screen/code.js"
};
static const unsigned char file27[] = {
#embed "../WebClient/site/screen/dialog.js"
};
static const unsigned char file28[] = {
#embed "../WebClient/site/screen/html.js"
};
static const unsigned char file29[] = {
#embed "../WebClient/site/screen/icons.js"
};
static const unsigned char file30[] = {
#embed "../WebClient/site/screen/longlist.js"
};
static const unsigned char file31[] = {
#embed "../WebClient/site/screen/router.js"
};
static const unsigned char file32[] = {
#embed "../WebClient/site/screen/skeleton.js"
};
static const unsigned char file33[] = {
#embed "../WebClient/site/screen/swipe.js"
};
static const unsigned char file34[] = {
#embed "../WebClient/site/sessions/account.js"
};
static const unsigned char file35[] = {
#embed "../WebClient/site/sessions/activity.js"
};
static const unsigned char file36[] = {
#embed "../WebClient/site/sessions/archive.js"
};
static const unsigned char file37[] = {
#embed "../WebClient/site/sessions/build.js"
};
static const unsigned char file38[] = {
#embed "../WebClient/site/sessions/cache.js"
};
static const unsigned char file39[] = {
#embed "../WebClient/site/sessions/ids.js"
};
static const unsigned char file40[] = {
#embed "../WebClient/site/sessions/passkeys.js"
};
static const unsigned char file41[] = {
#embed "../WebClient/site/sessions/slots.js"
};
static const unsigned char file42[] = {
#embed "../WebClient/site/sessions/store.js"
};
static const unsigned char file43[] = {
#embed "../WebClient/site/style/app.css"
};
static const unsigned char file44[] = {
#embed "../WebClient/site/sync/backoff.js"
};
static const unsigned char file45[] = {
#embed "../WebClient/site/sync/confirmed.js"
};
static const unsigned char file46[] = {
#embed "../WebClient/site/sync/conflicts.js"
};
static const unsigned char file47[] = {
#embed "../WebClient/site/sync/engine.js"
};
static const unsigned char file48[] = {
#embed "../WebClient/site/sync/folding.js"
};
static const unsigned char file49[] = {
#embed "../WebClient/site/sync/pending.js"
};
static const unsigned char file50[] = {
#embed "../WebClient/site/views/access.js"
};
static const unsigned char file51[] = {
#embed "../WebClient/site/views/activity.js"
};
static const unsigned char file52[] = {
#embed "../WebClient/site/views/add-family.js"
};
static const unsigned char file53[] = {
#embed "../WebClient/site/views/answers.js"
};
static const unsigned char file54[] = {
#embed "../WebClient/site/views/app.js"
};
static const unsigned char file55[] = {
#embed "../WebClient/site/views/audit.js"
};
static const unsigned char file56[] = {
#embed "../WebClient/site/views/board-plan.js"
};
static const unsigned char file57[] = {
#embed "../WebClient/site/views/board.js"
};
static const unsigned char file58[] = {
#embed "../WebClient/site/views/calendar.js"
};
static const unsigned char file59[] = {
#embed "../WebClient/site/views/changes.js"
};
static const unsigned char file60[] = {
#embed "../WebClient/site/views/comments.js"
};
static const unsigned char file61[] = {
#embed "../WebClient/site/views/confirm.js"
};
static const unsigned char file62[] = {
#embed "../WebClient/site/views/consent.js"
};
static const unsigned char file63[] = {
#embed "../WebClient/site/views/deletion.js"
};
static const unsigned char file64[] = {
#embed "../WebClient/site/views/document.js"
};
static const unsigned char file65[] = {
#embed "../WebClient/site/views/documents.js"
};
static const unsigned char file66[] = {
#embed "../WebClient/site/views/event-form.js"
};
static const unsigned char file67[] = {
#embed "../WebClient/site/views/event.js"
};
static const unsigned char file68[] = {
#embed "../WebClient/site/views/events.js"
};
static const unsigned char file69[] = {
#embed "../WebClient/site/views/feeds.js"
};
static const unsigned char file70[] = {
#embed "../WebClient/site/views/form.js"
};
static const unsigned char file71[] = {
#embed "../WebClient/site/views/frame.js"
};
static const unsigned char file72[] = {
#embed "../WebClient/site/views/handover.js"
};
static const unsigned char file73[] = {
#embed "../WebClient/site/views/history.js"
};
static const unsigned char file74[] = {
#embed "../WebClient/site/views/kept.js"
};
static const unsigned char file75[] = {
#embed "../WebClient/site/views/keys.js"
};
static const unsigned char file76[] = {
#embed "../WebClient/site/views/log-links.js"
};
static const unsigned char file77[] = {
#embed "../WebClient/site/views/notices.js"
};
static const unsigned char file78[] = {
#embed "../WebClient/site/views/palette.js"
};
static const unsigned char file79[] = {
#embed "../WebClient/site/views/reminder-rule.js"
};
static const unsigned char file80[] = {
#embed "../WebClient/site/views/reminders.js"
};
static const unsigned char file81[] = {
#embed "../WebClient/site/views/room.js"
};
static const unsigned char file82[] = {
#embed "../WebClient/site/views/season.js"
};
static const unsigned char file83[] = {
#embed "../WebClient/site/views/settings.js"
};
static const unsigned char file84[] = {
#embed "../WebClient/site/views/sign-in-ways.js"
};
static const unsigned char file85[] = {
#embed "../WebClient/site/views/sign-in.js"
};
static const unsigned char file86[] = {
#embed "../WebClient/site/views/submission.js"
};
static const unsigned char file87[] = {
#embed "../WebClient/site/views/trip-items.js"
};
static const unsigned char file88[] = {
#embed "../WebClient/site/views/trip.js"
};
static const unsigned char file89[] = {
#embed "../WebClient/site/views/trips.js"
};
static const unsigned char file90[] = {
#embed "../WebClient/site/views/values.js"
};
static const unsigned char file91[] = {
#embed "../WebClient/site/wire/frames.js"
};
static const unsigned char file92[] = {
#embed "../WebClient/site/wire/protocol.js"
};
static const unsigned char file93[] = {
#embed "../WebClient/site/wire/rejections.js"
};
static const unsigned char file94[] = {
#embed "../WebClient/site/words/access.js"
};
static const unsigned char file95[] = {
#embed "../WebClient/site/words/account.js"
};
static const unsigned char file96[] = {
#embed "../WebClient/site/words/activity.js"
};
static const unsigned char file97[] = {
#embed "../WebClient/site/words/acts.js"
};
static const unsigned char file98[] = {
#embed "../WebClient/site/words/add-family.js"
};
static const unsigned char file99[] = {
#embed "../WebClient/site/words/answers.js"
};
static const unsigned char file100[] = {
#embed "../WebClient/site/words/audit.js"
};
static const unsigned char file101[] = {
#embed "../WebClient/site/words/board.js"
};
static const unsigned char file102[] = {
#embed "../WebClient/site/words/calendar.js"
};
static const unsigned char file103[] = {
#embed "../WebClient/site/words/commands.js"
};
static const unsigned char file104[] = {
#embed "../WebClient/site/words/comments.js"
};
static const unsigned char file105[] = {
#embed "../WebClient/site/words/confirm.js"
};
static const unsigned char file106[] = {
#embed "../WebClient/site/words/conflicts.js"
};
static const unsigned char file107[] = {
#embed "../WebClient/site/words/consent.js"
};
static const unsigned char file108[] = {
#embed "../WebClient/site/words/dates.js"
};
static const unsigned char file109[] = {
#embed "../WebClient/site/words/deletion.js"
};
static const unsigned char file110[] = {
#embed "../WebClient/site/words/dialog.js"
};
static const unsigned char file111[] = {
#embed "../WebClient/site/words/document.js"
};
static const unsigned char file112[] = {
#embed "../WebClient/site/words/documents.js"
};
static const unsigned char file113[] = {
#embed "../WebClient/site/words/engine.js"
};
static const unsigned char file114[] = {
#embed "../WebClient/site/words/event-form.js"
};
static const unsigned char file115[] = {
#embed "../WebClient/site/words/event.js"
};
static const unsigned char file116[] = {
#embed "../WebClient/site/words/events.js"
};
static const unsigned char file117[] = {
#embed "../WebClient/site/words/feeds.js"
};
static const unsigned char file118[] = {
#embed "../WebClient/site/words/form.js"
};
static const unsigned char file119[] = {
#embed "../WebClient/site/words/frame.js"
};
static const unsigned char file120[] = {
#embed "../WebClient/site/words/handover.js"
};
static const unsigned char file121[] = {
#embed "../WebClient/site/words/history.js"
};
static const unsigned char file122[] = {
#embed "../WebClient/site/words/kept.js"
};
static const unsigned char file123[] = {
#embed "../WebClient/site/words/keys.js"
};
static const unsigned char file124[] = {
#embed "../WebClient/site/words/log-links.js"
};
static const unsigned char file125[] = {
#embed "../WebClient/site/words/notices.js"
};
static const unsigned char file126[] = {
#embed "../WebClient/site/words/pages.js"
};
static const unsigned char file127[] = {
#embed "../WebClient/site/words/palette.js"
};
static const unsigned char file128[] = {
#embed "../WebClient/site/words/passkeys.js"
};
static const unsigned char file129[] = {
#embed "../WebClient/site/words/permission.js"
};
static const unsigned char file130[] = {
#embed "../WebClient/site/words/query.js"
};
static const unsigned char file131[] = {
#embed "../WebClient/site/words/reminder-rule.js"
};
static const unsigned char file132[] = {
#embed "../WebClient/site/words/reminders.js"
};
static const unsigned char file133[] = {
#embed "../WebClient/site/words/room.js"
};
static const unsigned char file134[] = {
#embed "../WebClient/site/words/rules.js"
};
static const unsigned char file135[] = {
#embed "../WebClient/site/words/season.js"
};
static const unsigned char file136[] = {
#embed "../WebClient/site/words/settings.js"
};
static const unsigned char file137[] = {
#embed "../WebClient/site/words/sign-in-ways.js"
};
static const unsigned char file138[] = {
#embed "../WebClient/site/words/sign-in.js"
};
static const unsigned char file139[] = {
#embed "../WebClient/site/words/skeleton.js"
};
static const unsigned char file140[] = {
#embed "../WebClient/site/words/start.js"
};
static const unsigned char file141[] = {
#embed "../WebClient/site/words/store.js"
};
static const unsigned char file142[] = {
#embed "../WebClient/site/words/submission.js"
};
static const unsigned char file143[] = {
#embed "../WebClient/site/words/trip-items.js"
};
static const unsigned char file144[] = {
#embed "../WebClient/site/words/trip.js"
};
static const unsigned char file145[] = {
#embed "../WebClient/site/words/trips.js"
};
static const unsigned char file146[] = {
#embed "../WebClient/site/words/uploads.js"
};
static const unsigned char file147[] = {
#embed "../WebClient/site/words/values.js"
};
static const unsigned char file148[] = {
#embed "../WebClient/site/worker.js"
};

static const webclient_file files[] = {
    {"app.js", file0, sizeof file0},
    {"crypto/sha256.js", file1, sizeof file1},
    {"dates/calendar.js", file2, sizeof file2},
    {"dates/zones.js", file3, sizeof file3},
    {"documents/kept-files.js", file4, sizeof file4},
    {"documents/uploads.js", file5, sizeof file5},
    {"family/checksum.js", file6, sizeof file6},
    {"family/itinerary.js", file7, sizeof file7},
    {"family/kinds.js", file8, sizeof file8},
    {"family/merge.js", file9, sizeof file9},
    {"family/permission.js", file10, sizeof file10},
    {"family/records.js", file11, sizeof file11},
    {"family/reminder-rule.js", file12, sizeof file12},
    {"family/rules.js", file13, sizeof file13},
    {"family/sentences.js", file14, sizeof file14},
    {"family/shift.js", file15, sizeof file15},
    {"folding/folded.js", file16, sizeof file16},
    {"folding/table.js", file17, sizeof file17},
    {"icons/huddle.svg", file18, sizeof file18},
    {"index.html", file19, sizeof file19},
    {"manifest.webmanifest", file20, sizeof file20},
    {"queries/declarations.js", file21, sizeof file21},
    {"queries/keys.js", file22, sizeof file22},
    {"queries/query.js", file23, sizeof file23},
    {"queries/refusal.js", file24, sizeof file24},
    {"queries/statistics.js", file25, sizeof file25},
    {"screen/code.js", file26, sizeof file26},
    {"screen/dialog.js", file27, sizeof file27},
    {"screen/html.js", file28, sizeof file28},
    {"screen/icons.js", file29, sizeof file29},
    {"screen/longlist.js", file30, sizeof file30},
    {"screen/router.js", file31, sizeof file31},
    {"screen/skeleton.js", file32, sizeof file32},
    {"screen/swipe.js", file33, sizeof file33},
    {"sessions/account.js", file34, sizeof file34},
    {"sessions/activity.js", file35, sizeof file35},
    {"sessions/archive.js", file36, sizeof file36},
    {"sessions/build.js", file37, sizeof file37},
    {"sessions/cache.js", file38, sizeof file38},
    {"sessions/ids.js", file39, sizeof file39},
    {"sessions/passkeys.js", file40, sizeof file40},
    {"sessions/slots.js", file41, sizeof file41},
    {"sessions/store.js", file42, sizeof file42},
    {"style/app.css", file43, sizeof file43},
    {"sync/backoff.js", file44, sizeof file44},
    {"sync/confirmed.js", file45, sizeof file45},
    {"sync/conflicts.js", file46, sizeof file46},
    {"sync/engine.js", file47, sizeof file47},
    {"sync/folding.js", file48, sizeof file48},
    {"sync/pending.js", file49, sizeof file49},
    {"views/access.js", file50, sizeof file50},
    {"views/activity.js", file51, sizeof file51},
    {"views/add-family.js", file52, sizeof file52},
    {"views/answers.js", file53, sizeof file53},
    {"views/app.js", file54, sizeof file54},
    {"views/audit.js", file55, sizeof file55},
    {"views/board-plan.js", file56, sizeof file56},
    {"views/board.js", file57, sizeof file57},
    {"views/calendar.js", file58, sizeof file58},
    {"views/changes.js", file59, sizeof file59},
    {"views/comments.js", file60, sizeof file60},
    {"views/confirm.js", file61, sizeof file61},
    {"views/consent.js", file62, sizeof file62},
    {"views/deletion.js", file63, sizeof file63},
    {"views/document.js", file64, sizeof file64},
    {"views/documents.js", file65, sizeof file65},
    {"views/event-form.js", file66, sizeof file66},
    {"views/event.js", file67, sizeof file67},
    {"views/events.js", file68, sizeof file68},
    {"views/feeds.js", file69, sizeof file69},
    {"views/form.js", file70, sizeof file70},
    {"views/frame.js", file71, sizeof file71},
    {"views/handover.js", file72, sizeof file72},
    {"views/history.js", file73, sizeof file73},
    {"views/kept.js", file74, sizeof file74},
    {"views/keys.js", file75, sizeof file75},
    {"views/log-links.js", file76, sizeof file76},
    {"views/notices.js", file77, sizeof file77},
    {"views/palette.js", file78, sizeof file78},
    {"views/reminder-rule.js", file79, sizeof file79},
    {"views/reminders.js", file80, sizeof file80},
    {"views/room.js", file81, sizeof file81},
    {"views/season.js", file82, sizeof file82},
    {"views/settings.js", file83, sizeof file83},
    {"views/sign-in-ways.js", file84, sizeof file84},
    {"views/sign-in.js", file85, sizeof file85},
    {"views/submission.js", file86, sizeof file86},
    {"views/trip-items.js", file87, sizeof file87},
    {"views/trip.js", file88, sizeof file88},
    {"views/trips.js", file89, sizeof file89},
    {"views/values.js", file90, sizeof file90},
    {"wire/frames.js", file91, sizeof file91},
    {"wire/protocol.js", file92, sizeof file92},
    {"wire/rejections.js", file93, sizeof file93},
    {"words/access.js", file94, sizeof file94},
    {"words/account.js", file95, sizeof file95},
    {"words/activity.js", file96, sizeof file96},
    {"words/acts.js", file97, sizeof file97},
    {"words/add-family.js", file98, sizeof file98},
    {"words/answers.js", file99, sizeof file99},
    {"words/audit.js", file100, sizeof file100},
    {"words/board.js", file101, sizeof file101},
    {"words/calendar.js", file102, sizeof file102},
    {"words/commands.js", file103, sizeof file103},
    {"words/comments.js", file104, sizeof file104},
    {"words/confirm.js", file105, sizeof file105},
    {"words/conflicts.js", file106, sizeof file106},
    {"words/consent.js", file107, sizeof file107},
    {"words/dates.js", file108, sizeof file108},
    {"words/deletion.js", file109, sizeof file109},
    {"words/dialog.js", file110, sizeof file110},
    {"words/document.js", file111, sizeof file111},
    {"words/documents.js", file112, sizeof file112},
    {"words/engine.js", file113, sizeof file113},
    {"words/event-form.js", file114, sizeof file114},
    {"words/event.js", file115, sizeof file115},
    {"words/events.js", file116, sizeof file116},
    {"words/feeds.js", file117, sizeof file117},
    {"words/form.js", file118, sizeof file118},
    {"words/frame.js", file119, sizeof file119},
    {"words/handover.js", file120, sizeof file120},
    {"words/history.js", file121, sizeof file121},
    {"words/kept.js", file122, sizeof file122},
    {"words/keys.js", file123, sizeof file123},
    {"words/log-links.js", file124, sizeof file124},
    {"words/notices.js", file125, sizeof file125},
    {"words/pages.js", file126, sizeof file126},
    {"words/palette.js", file127, sizeof file127},
    {"words/passkeys.js", file128, sizeof file128},
    {"words/permission.js", file129, sizeof file129},
    {"words/query.js", file130, sizeof file130},
    {"words/reminder-rule.js", file131, sizeof file131},
    {"words/reminders.js", file132, sizeof file132},
    {"words/room.js", file133, sizeof file133},
    {"words/rules.js", file134, sizeof file134},
    {"words/season.js", file135, sizeof file135},
    {"words/settings.js", file136, sizeof file136},
    {"words/sign-in-ways.js", file137, sizeof file137},
    {"words/sign-in.js", file138, sizeof file138},
    {"words/skeleton.js", file139, sizeof file139},
    {"words/start.js", file140, sizeof file140},
    {"words/store.js", file141, sizeof file141},
    {"words/submission.js", file142, sizeof file142},
    {"words/trip-items.js", file143, sizeof file143},
    {"words/trip.js", file144, sizeof file144},
    {"words/trips.js", file145, sizeof file145},
    {"words/uploads.js", file146, sizeof file146},
    {"words/values.js", file147, sizeof file147},
    {"worker.js", file148, sizeof file148},
};

const webclient_file *webclient_files(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
