#!/bin/sh
# Makes weka_*.txt, and the rows with Weka's predictions and probabilities (weka_*.arff).
# Weka 3.6.14 (Debian 3.6.14-3): WEKA=weka.jar DATA=/usr/share/doc/weka/examples sh make_weka.sh
keep() { # NAME TABLE CLASSIFIER OPTIONS; the target is column $TARGET, by default the last
    name=$1 table=$2 classifier=weka.classifiers.trees.$3
    shift 3
    java -cp "$WEKA" "$classifier" "$@" -no-cv -c "${TARGET:-last}" -t "$DATA/$table.arff" > "weka_$name.txt"
    what="-classification"
    case "$name" in *number | m5p*) ;; *) what="-classification -distribution" ;; esac
    # shellcheck disable=SC2086
    java -cp "$WEKA" weka.filters.supervised.attribute.AddClassification \
        -W "$classifier $*" $what -i "$DATA/$table.arff" -o "weka_$name.arff" -c "${TARGET:-last}"
}
keep j48 weather.numeric J48 -C 0.25 -M 2
keep j48_missing labor J48 -U -M 2
keep j48_binary contact-lenses J48 -B
keep j48_numbers glass J48 -C 0.25 -M 2
keep reptree iris REPTree
keep reptree_categories breast-cancer REPTree -L 3
keep reptree_number cpu REPTree
keep id3 contact-lenses Id3
keep id3_weather weather.nominal Id3
keep m5p_number cpu M5P -R -M 20
keep m5p_unsmoothed cpu M5P -R -N -U -M 30
keep m5p_equations cpu M5P -M 30
keep m5p_categories cpu.with.vendor M5P
TARGET=2 keep m5p_missing labor M5P
TARGET=2 keep m5p_leaf diabetes M5P
TARGET=1 keep m5p_plain iris M5P -U -M 20
TARGET=1 keep m5p_unpruned iris M5P -N -M 20
keep m5p_number_categories cpu.with.vendor M5P -R -M 40
