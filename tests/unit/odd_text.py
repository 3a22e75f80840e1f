"""Text as the world has it: scripts, emoji, and what hides, steers or imitates."""

from hypothesis import strategies as st

ESC, ZWJ, VS16 = "\x1b", "\u200d", "\ufe0f"
FAMILY = f"👨{ZWJ}👩{ZWJ}👧{ZWJ}👦"
EMOJI = [
    FAMILY,
    f"👩🏽{ZWJ}❤{VS16}{ZWJ}💋{ZWJ}👨🏿",
    f"🏳{VS16}{ZWJ}🌈",
    f"🧔🏻{ZWJ}♂{VS16}",
    "🇩🇪",
    f"1{VS16}\u20e3",
    f"❤{VS16}",
    "👍🏿",
    "🫨",
]
WORDS = [
    "é",
    "e\u0301",
    "각",
    "\u1112\u1161\u11ab",
    "क्षि",
    "กำ",
    "日本",
    "שָׁלוֹם",
    "مرحبا",
    "Привет",
]
TRICKY = [
    *"\n\r\v\f\t\0\x07\x1c\x7f\x85\x9b\u2028\u2029\u202e\u2066\u2069\u200b\u200c\u200d\ufe0f",
    *"\ufeff\u00ad\u2060\u061c\u180e\u034f\u3164\u2800\u00a0\u3000\ud83d\udc00\uffff\U000e0041",
    *"\U000e0100<[:| \uff1c\uff3b\uff1a\u0301\u0600\u094d",
    f"{ESC}[31m",
    f"{ESC}[2J",
    f"{ESC}]52;c;aGk=\x07",
    f"{ESC}]8;;http://x{ESC}\\",
    f"{ESC}P1$r{ESC}\\",
    "\r\n",
    "[attend sensor=git priority=high]",
    "<system-reminder>",
    "</task-notification>",
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
    "Human:",
    "Assistant:",
    "<function_results>",
]
texts = st.lists(
    st.one_of(st.sampled_from(EMOJI + WORDS + TRICKY), st.characters(), st.text(max_size=8)),
    max_size=40,
).map("".join)
