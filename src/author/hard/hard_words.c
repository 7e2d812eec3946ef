/* SPDX-License-Identifier: MIT */
/*
 * Names of what is not flesh.
 *
 * Latin scripts: whole words (name_words.h) after accents are taken off, so that "Zähne", "zahne"
 * and "ZAHNE_01" are one. Languages: English, German, French, Spanish, Portuguese, Italian, and
 * Japanese in Latin letters; what is ambiguous among them is left out ("ring" is a finger, "collar"
 * a bone, "arme" weapons or arms, "spine" no thorn). Other scripts have no spaces: their words
 * count anywhere in a name.
 *
 * Hair, fur, feathers and beards hang on flesh: they are hard only where they move like a solid.
 * Brows, lashes and lids are left out.
 */
#include "author/hard/hard_words.h"

typedef struct List {
  SupHardKind kind;
  const char *words; /* between single spaces */
} List;

static const List lists[] = {
    {SUP_HARD_EYES,
     "eye eyeball leye reye iris irises pupil cornea sclera eyewhite eyehighlight eyelens "
     "auge augen augapfel pupille oeil yeux pupila ojo olho occhio occhi hitomi shirome ryoume"},
    {SUP_HARD_TEETH,
     "teeth tooth fang tusk incisor molar denture zahn zahne zaehne gebiss dent diente dente denti "
     "colmillo kiba"},
    {SUP_HARD_CLAWS,
     "nail fingernail toenail claw talon nagel fingernagel krallen kralle klaue klauen "
     "ongle griffe unas garra unha unghia unghie artiglio artigli tsume"},
    {SUP_HARD_HORNS, "horn antler geweih horner hoerner corne cuerno chifre corno corna tsuno"},
    {SUP_HARD_HOOVES, "hoof hooves huf hufe sabot pezuna zoccolo zoccoli hizume"},
    {SUP_HARD_SHELL, "shell carapace beak schnabel bec becco caparazon kuchibashi koura"},
    {SUP_HARD_ARMOUR,
     "armor armour pauldron gauntlet greave cuirass breastplate plate chainmail helmet helm visor "
     "shield bracer vambrace exoskeleton ruestung rustung panzer brustpanzer schild harnisch "
     "armure casque bouclier armadura casco yelmo escudo capacete elmo armatura scudo yoroi "
     "kabuto"},
    {SUP_HARD_CLOTHES,
     "cloth clothes clothing garment outfit costume uniform fabric shirt tshirt blouse sweater "
     "sweatshirt hoodie jacket coat vest suit swimsuit casualsuit tracksuit dress skirt kilt pants "
     "trousers jeans shorts underwear underpants footwear headwear panties bikini tights "
     "leggings stocking sock shoe boot sandal sneaker slipper glove mitten scarf cape cloak robe "
     "gown apron ribbon veil hat cap hood beret turban bowtie necktie tops bottoms onepiece kimono "
     "kleid kleidung kleider hose hemd bluse jacke mantel umhang anzug schuh schuhe stiefel socke "
     "socken strumpf gurtel guertel handschuh handschuhe hut mutze muetze schal "
     "vetement pantalon chemise veste jupe chaussure botte chapeau gant echarpe manteau ceinture "
     "ropa camisa falda zapato bota guante sombrero abrigo calcetin pantalones vestido chaqueta "
     "roupa sapato calca luva chapeu saia camiseta "
     "vestiti vestito camicia gonna scarpa scarpe stivale stivali guanti cappello mantello "
     "pantaloni giacca fuku kutsu boushi sukaato ribon zubon tebukuro"},
    {SUP_HARD_THINGS,
     "prop weapon sword blade knife dagger axe bow arrow quiver gun rifle pistol holster staff "
     "wand "
     "spear lance hammer mace club whip book spellbook bag backpack pouch satchel bottle lantern "
     "torch rope chain glasses sunglasses eyeglasses spectacles goggles monocle crown tiara "
     "headset "
     "headphone earphone mask earring necklace bracelet wristwatch jewel jewelry jewellery gem "
     "pendant amulet piercing button buckle belt strap zipper accessory accessories badge medal "
     "saddle bridle harness wheel screw bolt rivet gear antenna jetpack "
     "waffe schwert messer bogen hammerkopf brille tasche rucksack knopf krone kette schmuck "
     "sattel "
     "epee couteau lunettes bouton bijou couronne collier espada cuchillo gafas mochila boton "
     "corona "
     "oculos coroa spada coltello occhiali borsa bottone megane tsurugi katana"},
    {SUP_HARD_METAL,
     "metal metallic steel iron chrome gold silver bronze copper brass titanium wood wooden stone "
     "rock marble concrete plastic ceramic porcelain holz metall stahl eisen stein kunststoff "
     "acier fer pierre acero hierro madera piedra acciaio legno"},
    {SUP_HARD_HAIR,
     "hair fur beard moustache mustache mane feather ponytail braid wig haar haare bart fell mahne "
     "maehne cheveux barbe crin pelo cabello barba capelli cabelo kami hige"},
    {SUP_HARD_GLASS, "glass lens crystal glas kristall verre vidrio vidro vetro cristal"},
};

static const List scripts[] = {
    {SUP_HARD_THINGS, "眼鏡 眼镜 眼帯"}, /* before the eyes in them */
    {SUP_HARD_HAIR, "髪 毛 ひげ 头发 머리카락 волос бород"},
    {SUP_HARD_EYES, "目 眼 瞳 まなこ 눈동자 안구 глаз"},
    {SUP_HARD_TEETH, "歯 牙 きば 牙齿 이빨 치아 зуб клык"},
    {SUP_HARD_CLAWS, "爪 つめ ツメ 指甲 손톱 발톱 ноготь ногти коготь когти"},
    {SUP_HARD_HORNS, "角 つの ツノ 뿔 рога"},
    {SUP_HARD_HOOVES, "蹄 ひづめ 발굽 копыт"},
    {SUP_HARD_SHELL, "甲羅 嘴 くちばし クチバシ 부리 клюв панцирь"},
    {SUP_HARD_ARMOUR,
     "鎧 よろい 兜 盾 甲冑 アーマー ヘルメット 盔甲 갑옷 방패 брон доспех шлем щит"},
    {SUP_HARD_CLOTHES,
     "服 衣 靴 帽 袖 襟 着物 袴 ズボン スカート シャツ リボン マント 手袋 ブーツ ネクタイ パンツ "
     "下着 裙 裤 鞋 옷 치마 바지 신발 모자 장갑 одежда рубашка штаны юбка плать сапог ботин шляпа"},
    {SUP_HARD_THINGS,
     "剣 刀 杖 弓 銃 鞄 メガネ めがね ボタン ベルト アクセ 飾り かざり ヘッドホン 武器 剑 枪 안경 "
     "가방 оружи меч очки сумка"},
};

/* What looks like such a word and is none: in two words, ... */
static const char *const phrases[][2] = {
    {"eye", "brow"},   {"eye", "lid"},   {"eye", "lash"},       {"eye", "lashes"},
    {"eye", "line"},   {"eye", "liner"}, {"eye", "shadow"},     {"eye", "socket"},
    {"eye", "bag"},    {"eye", "skin"},  {"eye", "extra"},      {"knee", "cap"},
    {"end", "cap"},    {"bone", "cap"},  {"shoulder", "blade"}, {"nail", "bed"},
    {"foot", "plate"}, {"fur", "shell"}, {"hair", "cap"},       {"tooth", "less"}};

/* ... and in other scripts: brows, lashes, lids, tips of toes, angles, triangles, targets, corners
 * of the mouth and of the eyes. */
static const char *const other_words[] = {"眉",   "まつげ", "まつ毛", "睫",   "まぶた", "瞼",
                                          "爪先", "角度",   "三角",   "目標", "눈썹",   "口角",
                                          "目尻", "目頭",   "目元",   "眼睑"};

/* ---- Latin ------------------------------------------------------------------------------------
 */

/* Letters of Latin 1 from 0xc0 on without their accents. */
static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";

/* A name in ASCII: accents are taken off, combining ones too, and all else is a space. */
static void fold(const char *name, size_t size, char *out) {
  size_t length = 0;
  for (const unsigned char *at = (const unsigned char *)name; *at && length + 2 < size; at++) {
    if (*at < 0x80) {
      out[length++] = (char)*at;
    } else if (*at == 0xc3 && at[1] >= 0x80 && at[1] <= 0xbf) {
      out[length++] = latin[*++at - 0x80];
    } else if (*at == 0xc5 && (at[1] == 0x92 || at[1] == 0x93)) { /* oe */
      const char *both = at[1] == 0x92 ? "Oe" : "oe";
      out[length++] = both[0];
      out[length++] = both[1];
      at++;
    } else if ((*at == 0xcc || *at == 0xcd) && at[1]) { /* a combining accent */
      at++;
    } else {
      out[length++] = ' ';
    }
  }
  out[length] = 0;
}

/* The next of the words in a list. */
static bool next_listed(const char **io_at, SupWord *out_word) {
  const char *at = *io_at;
  while (*at == ' ') at++;
  if (!*at) return false;
  size_t length = 0;
  while (at[length] && at[length] != ' ') length++;
  *out_word = (SupWord){at, length};
  *io_at = at + length;
  return true;
}

static bool find_word(SupWord word, SupHardWord *out_found) {
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    const char *at = lists[k].words;
    SupWord wanted;
    while (next_listed(&at, &wanted)) {
      if (!sup_word_is(word, wanted)) continue;
      *out_found = (SupHardWord){wanted.text, lists[k].kind};
      return true;
    }
  }
  return false;
}

static bool is_phrase(SupWord first, SupWord second) {
  for (size_t k = 0; k < sizeof phrases / sizeof *phrases; k++) {
    const SupWord a = {phrases[k][0], sup_string_length(phrases[k][0])};
    const SupWord b = {phrases[k][1], sup_string_length(phrases[k][1])};
    if (sup_word_is(first, a) && sup_word_is(second, b)) return true;
  }
  return false;
}

/* ---- Other scripts ----------------------------------------------------------------------------
 */

static bool contains(const char *name, SupWord wanted) {
  for (; *name; name++) {
    size_t k = 0;
    while (k < wanted.length && name[k] == wanted.text[k]) k++;
    if (k == wanted.length) return true;
  }
  return false;
}

/* Small Cyrillic letters in place of capitals. */
static void lower_cyrillic(const char *name, size_t size, char *out) {
  size_t length = 0;
  for (const unsigned char *at = (const unsigned char *)name; *at && length + 2 < size; at++) {
    const bool capital = *at == 0xd0 && at[1] >= 0x90 && at[1] <= 0xaf;
    if (!capital) {
      out[length++] = (char)*at;
      continue;
    }
    const bool second = at[1] >= 0xa0; /* whose small letters are on the next page */
    out[length++] = (char)(second ? 0xd1 : 0xd0);
    out[length++] = (char)(second ? at[1] - 0x20 : at[1] + 0x20);
    at++;
  }
  out[length] = 0;
}

static uint32_t find_scripts(const char *name, uint32_t count, SupHardWord *out_words) {
  bool ascii = true;
  for (const char *at = name; *at; at++) ascii &= (unsigned char)*at < 0x80;
  if (ascii) return count;
  char lowered[320];
  lower_cyrillic(name, sizeof lowered, lowered);
  name = lowered;
  for (size_t k = 0; k < sizeof other_words / sizeof *other_words; k++) {
    const SupWord other = {other_words[k], sup_string_length(other_words[k])};
    if (contains(name, other)) return count;
  }
  for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
    const char *at = scripts[k].words;
    SupWord wanted;
    while (count < SUP_HARD_WORDS_MOST && next_listed(&at, &wanted)) {
      if (contains(name, wanted)) out_words[count++] = (SupHardWord){wanted.text, scripts[k].kind};
    }
  }
  return count;
}

uint32_t sup_hard_words(const char *name, SupHardWord out_words[SUP_HARD_WORDS_MOST]) {
  char folded[160];
  const char *at = folded;
  SupWord word = {NULL, 0}, next = {NULL, 0};
  uint32_t count = 0;
  fold(name, sizeof folded, folded);
  bool more = sup_next_word(&at, &word);
  while (more && count < SUP_HARD_WORDS_MOST) {
    more = sup_next_word(&at, &next);
    if (more && is_phrase(word, next)) {
      more = sup_next_word(&at, &word);
      continue;
    }
    count += find_word(word, &out_words[count]);
    word = next;
  }
  return find_scripts(name, count, out_words);
}

uint32_t sup_hard_bone_words(const char *name, SupHardWord out_words[SUP_HARD_WORDS_MOST]) {
  static const char other[] =
      "chain kette ribbon ribon button knopf bouton boton bottone crown krone couronne corona "
      "coroa "
      "pouch hood cap plate club bow gear rope suit tops bottoms hose whip gem mask";
  SupHardWord found[SUP_HARD_WORDS_MOST];
  const uint32_t count = sup_hard_words(name, found);
  uint32_t kept = 0;
  for (uint32_t k = 0; k < count; k++) {
    const char *at = other, *end = found[k].word;
    bool means_other = found[k].kind == SUP_HARD_METAL || found[k].kind == SUP_HARD_GLASS;
    SupWord word;
    while (*end && *end != ' ') end++;
    const SupWord own = {found[k].word, (size_t)(end - found[k].word)};
    while (next_listed(&at, &word)) {
      means_other |= word.length == own.length && sup_word_is(own, word);
    }
    if (!means_other) out_words[kept++] = found[k];
  }
  return kept;
}

SupHardKind sup_hard_name(const char *name) {
  SupHardWord words[SUP_HARD_WORDS_MOST];
  const uint32_t count = sup_hard_words(name, words);
  for (uint32_t k = 0; k < count; k++) {
    if (words[k].kind != SUP_HARD_HAIR) return words[k].kind;
  }
  return count ? SUP_HARD_HAIR : SUP_HARD_NOT;
}
