"""Masks and pages together."""

ALL, HOME = "0-7", "2-3,6-7"


def notes(made):
    return {(note.kind, note.subject, note.restarted) for note in made.notes}


def test_equal_masks_and_other_pages_are_old_pages(same, compared):
    made = compared(same.paged(101, 0, 4), same.restarted().paged(801, 4, 0))

    assert notes(made) == {("old-pages", "rank:1", True)}


def test_without_boot_ids_nobody_knows_whether_it_was_restarted(same, compared):
    made = compared(*(each.without("boot_id") for each in (same.paged(101, 0, 4), same.paged(101, 4, 0))))

    assert notes(made) == {("old-pages", "rank:1", None)}


def test_pages_of_one_process_moved(same, compared):
    assert notes(compared(same.paged(101, 0, 4), same.paged(101, 2, 2))) == {("moved-pages", "rank:1", False)}


def test_new_masks_of_one_process_are_two_states_of_memory(same, compared):
    made = compared(same.paged(101, 0, 4), same.paged(101, 0, 4).masked(101, ALL))

    assert notes(made) == {("live-change", "rank:1", False)}


def test_new_masks_of_a_fresh_start_are_nothing_special(same, compared):
    assert notes(compared(same.paged(101, 0, 4), same.restarted().paged(801, 2, 2).masked(801, ALL))) == set()


def test_small_shifts_are_noise(same, compared):
    assert notes(compared(same.paged(101, 0, 100), same.restarted().paged(801, 4, 96))) == set()
