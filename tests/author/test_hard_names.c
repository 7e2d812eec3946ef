/* SPDX-License-Identifier: MIT */
/* What names say about what is not flesh, in several languages and conventions. */
#include "check.h"

#include <string.h>

#include "supple/author/hard_parts.h"

static const struct {
  const char *name;
  SupHardKind kind;
} names[] = {
    {"eye", SUP_HARD_EYES},
    {"\xd0\x93\xd0\xbb\xd0\xb0\xd0\xb7", SUP_HARD_EYES}, /* a capital Cyrillic letter */
    {"\xe5\x8f\xa3\xe8\xa7\x92", SUP_HARD_NOT},          /* corner of the mouth, no horn */
    {"Bras_G", SUP_HARD_NOT},                            /* an arm */
    {"Eyes_Black", SUP_HARD_EYES},
    {"LeftEye", SUP_HARD_EYES},
    {"mixamorig:LeftEye", SUP_HARD_EYES},
    {"lefteye", SUP_HARD_EYES},
    {"lEye", SUP_HARD_EYES},
    {"LEYE", SUP_HARD_EYES},
    {"eye.L.001", SUP_HARD_EYES},
    {"F00_000_00_EyeWhite_00_EYE", SUP_HARD_EYES},
    {"N00_000_00_EyeIris_00_EYE (Instance)", SUP_HARD_EYES},
    {"CC_Base_L_Eye", SUP_HARD_EYES},
    {"Std_Cornea_R", SUP_HARD_EYES},
    {"YetiEyes_low", SUP_HARD_EYES},
    {"Auge.R", SUP_HARD_EYES},
    {"oeil_gauche", SUP_HARD_EYES},
    {"\xc5\x93il", SUP_HARD_EYES},
    {"ojo_derecho", SUP_HARD_EYES},
    {"\xe5\xb7\xa6\xe7\x9b\xae", SUP_HARD_EYES}, /* left eye, of MMD */
    {"\xe7\x9e\xb3", SUP_HARD_EYES},             /* pupil */
    {"Hitomi_L", SUP_HARD_EYES},
    {"Wolf3D_Teeth", SUP_HARD_TEETH},
    {"Std_Upper_Teeth", SUP_HARD_TEETH},
    {"tooth.012", SUP_HARD_TEETH},
    {"Fangs", SUP_HARD_TEETH},
    {"Z\xc3\xa4hne", SUP_HARD_TEETH},
    {"Za\xcc\x88hne", SUP_HARD_TEETH}, /* the accent by itself */
    {"zaehne_oben", SUP_HARD_TEETH},
    {"dents", SUP_HARD_TEETH},
    {"dientes.001", SUP_HARD_TEETH},
    {"\xe6\xad\xaf", SUP_HARD_TEETH},
    {"Fingernails", SUP_HARD_CLAWS},
    {"claw_03_l", SUP_HARD_CLAWS},
    {"Krallen", SUP_HARD_CLAWS},
    {"griffes", SUP_HARD_CLAWS},
    {"\xe7\x88\xaa", SUP_HARD_CLAWS},
    {"tsume_R", SUP_HARD_CLAWS},
    {"horn_tip_L", SUP_HARD_HORNS},
    {"HornBase", SUP_HARD_HORNS},
    {"YetiAntlers_low", SUP_HARD_HORNS},
    {"Geweih", SUP_HARD_HORNS},
    {"H\xc3\xb6rner", SUP_HARD_HORNS},
    {"cuernos", SUP_HARD_HORNS},
    {"\xe8\xa7\x92", SUP_HARD_HORNS},
    {"\xe3\x83\x84\xe3\x83\x8e", SUP_HARD_HORNS}, /* in katakana */
    {"Hooves", SUP_HARD_HOOVES},
    {"hoof.FL", SUP_HARD_HOOVES},
    {"Huf_vorne", SUP_HARD_HOOVES},
    {"beak_lower", SUP_HARD_SHELL},
    {"TurtleShell", SUP_HARD_SHELL},
    {"Schnabel", SUP_HARD_SHELL},
    {"Knight_Armor", SUP_HARD_ARMOUR},
    {"ARMOUR_METAL", SUP_HARD_ARMOUR},
    {"shoulder_plate.R", SUP_HARD_ARMOUR},
    {"Helmet", SUP_HARD_ARMOUR},
    {"R\xc3\xbcstung", SUP_HARD_ARMOUR},
    {"armadura_pecho", SUP_HARD_ARMOUR},
    {"\xe9\x8e\xa7", SUP_HARD_ARMOUR},
    {"N00_007_01_Tops_01_CLOTH", SUP_HARD_CLOTHES},
    {"Wolf3D_Outfit_Top", SUP_HARD_CLOTHES},
    {"male_casualsuit01", SUP_HARD_CLOTHES},
    {"shoes01", SUP_HARD_CLOTHES},
    {"T-Shirt", SUP_HARD_CLOTHES},
    {"skirt_03_l", SUP_HARD_CLOTHES},
    {"cape_02", SUP_HARD_CLOTHES},
    {"Kleidung", SUP_HARD_CLOTHES},
    {"v\xc3\xaatements", SUP_HARD_CLOTHES},
    {"Pantal\xc3\xb3n", SUP_HARD_CLOTHES},
    {"\xe6\x9c\x8d", SUP_HARD_CLOTHES},
    {"\xe3\x82\xb9\xe3\x82\xab\xe3\x83\xbc\xe3\x83\x88", SUP_HARD_CLOTHES}, /* skirt */
    {"sukaato", SUP_HARD_CLOTHES},
    {"weapon_r", SUP_HARD_THINGS},
    {"2H_Sword", SUP_HARD_THINGS},
    {"Wolf3D_Glasses", SUP_HARD_THINGS},
    {"belt_buckle", SUP_HARD_THINGS},
    {"Brille", SUP_HARD_THINGS},
    {"espada", SUP_HARD_THINGS},
    {"\xe7\x9c\xbc\xe9\x8f\xa1", SUP_HARD_THINGS}, /* spectacles; their first letter is an eye */
    {"M_Metal_Trim", SUP_HARD_METAL},
    {"Steel.002", SUP_HARD_METAL},
    {"glass", SUP_HARD_GLASS},
    /* Flesh, and what hangs on it. */
    {"", SUP_HARD_NOT},
    {"Body", SUP_HARD_NOT},
    {"N00_000_00_Body_00_SKIN", SUP_HARD_NOT},
    {"N00_000_00_FaceMouth_00_FACE", SUP_HARD_NOT},
    {"N00_000_00_FaceBrow_00_FACE", SUP_HARD_NOT},
    {"N00_000_00_FaceEyelash_00_FACE", SUP_HARD_NOT},
    {"EyeBrow_L", SUP_HARD_NOT},
    {"eye_lid_upper", SUP_HARD_NOT},
    {"eyelashes01", SUP_HARD_NOT},
    {"EyeSocket", SUP_HARD_NOT},
    {"Augenbraue", SUP_HARD_NOT},
    {"Std_Tongue", SUP_HARD_NOT},
    {"YetiFur_low", SUP_HARD_HAIR},
    {"YetiBeard_low", SUP_HARD_HAIR},
    {"N00_000_Hair_00_HAIR", SUP_HARD_HAIR},
    {"\xe9\xab\xaa", SUP_HARD_HAIR},                                     /* hair */
    {"\xe3\x81\xbe\xe3\x81\xa4\xe6\xaf\x9b_\xe7\x9b\xae", SUP_HARD_NOT}, /* lashes of an eye */
    {"\xe5\xb7\xa6\xe7\x88\xaa\xe5\x85\x88", SUP_HARD_NOT},              /* left tip of the toes */
    {"\xe4\xb8\xa1\xe8\x85\x95", SUP_HARD_NOT},                          /* both arms */
    {"mixamorig:Spine1", SUP_HARD_NOT},
    {"ring_01_l", SUP_HARD_NOT},
    {"collar_anchor_l", SUP_HARD_NOT},
    {"HeadTop_End", SUP_HARD_NOT},
    {"Armature", SUP_HARD_NOT},
    {"LeftForeArm", SUP_HARD_NOT},
    {"Bone.001", SUP_HARD_NOT},
    {"shoulder_blade.L", SUP_HARD_NOT},
    {"KneeCap_R", SUP_HARD_NOT},
    {"Hornet_Body", SUP_HARD_NOT},
    {"Toothless", SUP_HARD_NOT},
    {"Capsule", SUP_HARD_NOT},
    {"Rocket", SUP_HARD_NOT},
    {"wing_feather_5_0_l", SUP_HARD_HAIR},
    {"Butt_L", SUP_HARD_NOT},
    {"belly", SUP_HARD_NOT},
    {"breast.R", SUP_HARD_NOT},
    {"Tail3", SUP_HARD_NOT},
    {"ear_l1", SUP_HARD_NOT},
    {"heelIK.l", SUP_HARD_NOT},
    {"Material.001", SUP_HARD_NOT},
};

static void test_names(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const SupHardKind found = sup_hard_name(names[k].name);
    if (found == names[k].kind) continue;
    print_error("%s: %s, not %s\n", names[k].name, sup_hard_kind_name(found),
                sup_hard_kind_name(names[k].kind));
    wrong++;
  }
  assert_int_equal(wrong, 0);
  for (int k = 0; k < SUP_HARD_KINDS; k++) assert_true(*sup_hard_kind_name((SupHardKind)k));
  for (int k = 0; k < SUP_SIGNS; k++) assert_true(*sup_hard_sign_name((SupHardSign)k));
}

/* A name of any length and any bytes is read to its end and not beyond. */
static void test_long_names(void **state) {
  (void)state;
  char name[600];
  for (size_t length = 0; length < sizeof name; length++) {
    memset(name, 'x', sizeof name);
    name[length] = 0;
    assert_int_equal(sup_hard_name(name), SUP_HARD_NOT);
    memset(name, 0xc3, length);
    assert_int_equal(sup_hard_name(name), SUP_HARD_NOT);
    for (size_t k = 0; k < length; k++) name[k] = (char)(1 + (length * 31 + k * 7) % 255);
    sup_hard_name(name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_long_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
