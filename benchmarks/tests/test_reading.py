from imli_bench.measures.reading import READERS, judge, load_messy


def test_columns_are_counted_as_the_clean_table_has_them(tmp_path):
    messy = load_messy()
    by_name = {each.name: each for each in messy.MESSY}
    clean = by_name["clean"].write(tmp_path)
    for reader in READERS:
        found = judge(reader, clean, messy)
        assert (found["columns"], found["refused"]) == (8, 0)
        assert found["right_type"] >= 7  # pandas knows no dates unless it is told
    german = by_name["german"].write(tmp_path)
    assert judge("imli", german, messy) | {"silent": 0} == judge("imli", clean, messy)
    assert judge("pandas.read_csv", german, messy)["right_cells"] < 4
