"""A style sheet in pixels becomes one that follows the reader's own text size."""

from app.widgets.text_size import scaled_text, scaled_widths


def test_sizes_of_text_are_counted_in_the_readers_pixels():
    assert scaled_text("h2{font-size:18px;height:9px}") == "h2{font-size:calc(18*var(--lab-px,1px));height:9px}"
    assert scaled_text("b{font:400 12.5px/1.4 Arial}") == "b{font:400 calc(12.5*var(--lab-px,1px))/1.4 Arial}"
    assert scaled_text("b{font:10px/13px Arial}") == "b{font:calc(10*var(--lab-px,1px))/1.3 Arial}"
    assert scaled_text("i{font-size:.72em;line-height:0}") == "i{font-size:.72em;line-height:0}"


def test_a_line_is_as_many_times_its_text():
    assert scaled_text("p{font-size:20px;line-height:25px}") == "p{font-size:calc(20*var(--lab-px,1px));line-height:1.25}"
    assert scaled_text("p{line-height:25px}") == "p{line-height:25px}"


def test_a_window_is_narrow_for_large_text():
    assert scaled_text("@media (max-width:720px){p{font-size:16px}}") == (
        "@media (max-width:45em){p{font-size:calc(16*var(--lab-px,1px))}}")
    assert scaled_widths('matchMedia("(min-width: 800px)")') == 'matchMedia("(min-width:50em)")'
